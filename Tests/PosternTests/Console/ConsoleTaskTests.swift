import Console
import TestKit
import Testing

@testable import Server

extension BrowserTests {
    /// Every screen of the console in a browser. One server and one browser for the tasks of an area: starting both takes longer.
    @Suite("Tasks of operators", .timeLimit(.minutes(15)), .compactMapIssues(ConsoleTask.titled))
    struct ConsoleTasks {
        @Test("every screen of the console has a task, or a reason to have none")
        func completeness() async throws {
            let server = try await TestServer.start(environment: ConsoleClient.environment)
            let screens = try #require(Listener(core: server.core).console(isPrivate: false)).templates
            let tasks = Set(ConsoleTask.all.map(\.screen))
            for screen in screens { #expect(tasks.contains(screen) != (ConsoleTask.withoutTask[screen] != nil), "\(screen)") }
            let known = ConsoleTask.all.map(\.screen) + ConsoleTask.withoutTask.keys + ConsoleTask.withoutPage.keys
            for screen in known + ConsoleTask.needingScripts.keys { #expect(screens.contains(screen), "\(screen) is gone") }
        }

        @Test("operators come in, prove who they are and manage one another", arguments: ConsoleWay.all)
        func access(way: ConsoleWay) async throws {
            try await ConsoleTask.run(ConsoleTask.access, on: try await ConsoleStage.start(way))
        }

        @Test("operators work on users", arguments: ConsoleWay.all)
        func users(way: ConsoleWay) async throws {
            let stage = try await ConsoleStage.start(way, ConsoleTask.usersSetting)
            try await stage.enroll()
            try await ConsoleTask.run(ConsoleTask.users, on: stage)
        }

        @Test("operators change the configuration", arguments: ConsoleWay.all)
        func configuration(way: ConsoleWay) async throws {
            let stage = try await ConsoleStage.start(way)
            try await stage.enroll()
            try await ConsoleTask.run(ConsoleTask.configuration, on: stage)
        }

        @Test("operators look after the server", arguments: ConsoleWay.all)
        func operation(way: ConsoleWay) async throws {
            let stage = try await ConsoleStage.start(way)
            try await stage.enroll()
            try await ConsoleTask.run(ConsoleTask.operation, on: stage)
        }

        @Test("developers see what is sent, and two operators agree", arguments: ConsoleWay.all)
        func development(way: ConsoleWay) async throws {
            let stage = try await ConsoleStage.start(way, ConsoleTask.developmentSetting)
            try await stage.enroll()
            try await ConsoleTask.run(ConsoleTask.development, on: stage)
        }
    }
}
