import Project
import TestKit
import Testing

/// What an operator does on a screen, and what must come of it.
struct ConsoleTask: Sendable {
    /// The template of the screen's path.
    let screen: String
    let name: String
    let work: @Sendable (ConsoleStage) async throws -> Void

    init(_ screen: String, _ name: String, _ work: @escaping @Sendable (ConsoleStage) async throws -> Void) {
        self.screen = "/console" + screen
        self.name = name
        self.work = work
    }

    /// Screens without a page to visit, and why. They are reached by forms and scripts of others.
    static let withoutPage = [
        "/console/sign-out": "a button of every page posts to it, and it leads elsewhere",
        "/console/audit/export": "a link of the trail's page downloads it",
        "/console/configuration/project.yaml": "a link of the configuration's page downloads it",
        "/console/events/stream": "a script of the events' page follows it",
        "/console/imports/upload": "a script of the imports' page sends pieces to it",
    ]

    /// Screens that do nothing without scripts, and why.
    static let needingScripts = [
        "/console/events/stream": "rows appear by a script; without, the events' page is loaded again",
        "/console/imports/upload": "pieces of a file are sent by a script; without, a part of it is pasted",
    ]

    /// Screens without a task, and why.
    static let withoutTask: [String: String] = [:]

    static let all = access + users + configuration + operation + development

    /// Does tasks one after the other. What goes wrong in one is told with its name, and the others go on.
    static func run(_ tasks: [ConsoleTask], on stage: ConsoleStage) async throws {
        for task in tasks where stage.way.hasScripts || needingScripts[task.screen] == nil {
            try await $title.withValue("\(task.screen), \(stage.way.testDescription): \(task.name)") {
                _ = stage.takePaths()
                do {
                    try await task.work(stage)
                } catch {
                    try Task.checkCancellation()
                    Issue.record(error)
                }
                let paths = stage.takePaths()
                #expect(withoutPage[task.screen] != nil || paths.contains { task.isPage($0) }, "was only at \(paths)")
            }
        }
    }

    @TaskLocal private static var title: String?

    /// Says of an issue which task it came up in.
    @Sendable static func titled(_ issue: Issue) -> Issue? {
        guard let title = title.map({ Comment(rawValue: $0) }), !issue.comments.contains(title) else { return issue }
        var issue = issue
        issue.comments.append(title)
        return issue
    }

    private func isPage(_ path: String) -> Bool {
        let (own, parts) = (screen.split(separator: "/"), path.split(separator: "/"))
        return own.count == parts.count && zip(own, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}
