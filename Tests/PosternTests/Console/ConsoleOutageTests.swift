import Accounts
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The console without its store", .teardown, .timeLimit(.minutes(15)))
struct ConsoleOutageTests {
    @Test("says so on every page, and to the log in the line of the request alone, as the API does")
    func closedStore() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: .administrator)
        try await server.core.database.close()
        for _ in 0..<3 {
            let page = try await browser.get("/console/users")
            #expect(page.status == 503)
            let id = try #require(page.answer.header("X-Request-Id"))
            let lines = server.log.lines.filter { $0.contains("requestId=\(id)") && !$0.hasPrefix("debug ") }
            #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("info request ") }, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("the store is closed") && $0.contains("status=503") }, "\(lines)")
        }
    }
}
