import Accounts
import Project
import TestKit
import Testing

@testable import Console
@testable import Server

@Suite("Files of users that wait for their import", .timeLimit(.minutes(15)))
struct ConsoleUploadTests {
    @Test("are one an operator, and a place is left for an owner whatever others have begun")
    func places() async throws {
        try await TestServer.running(environment: ConsoleClient.environment) { server in
            let sessions = server.core.useCases.console.sessions
            let uploads = ConsoleUploads(environment: server.core.environment) { try await sessions.isLive($0) }
            func person(_ role: OperatorRole, _ name: String) async throws -> ConsoleOperator {
                let browser = try await ConsoleClient.enroll(server, role: role, email: "\(name)@example.com")
                return try await browser.person()
            }
            let owner = try await person(.owner, "owner")
            var agents: [ConsoleOperator] = []
            for number in 0..<4 { agents.append(try await person(number == 0 ? .administrator : .support, "agent\(number)")) }
            for agent in agents.prefix(3) { _ = try await uploads.begin(for: agent) }
            await #expect(throws: ConsoleFailure.tooMuchAtOnce) { _ = try await uploads.begin(for: agents[3]) }
            // Whoever begins again gives the earlier file up.
            _ = try await uploads.begin(for: agents[0])
            #expect(await uploads.count == 3)
            _ = try await uploads.begin(for: owner)
            #expect(await uploads.count == 4)
            let second = try await person(.owner, "second")
            await #expect(throws: ConsoleFailure.tooMuchAtOnce) { _ = try await uploads.begin(for: second) }
        }
    }
}
