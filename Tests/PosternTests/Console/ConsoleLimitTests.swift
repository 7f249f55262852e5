import Accounts
import TestKit
import Testing

@testable import Server

@Suite("What operators may do only so often", .teardown, .timeLimit(.minutes(15)))
struct ConsoleLimitTests {
    @Test("numbers cannot be guessed by searching, whichever field asks", arguments: [OperatorRole.viewer, .support])
    func numberSearches(role: OperatorRole) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let browser = try await ConsoleClient.enroll(server, role: role)
        let ways = ["q=%2B15555550100", "provider=phone&providerId=%2B15555550100"]
        for number in 0..<OperatorLimits.numberSearchesPerHour {
            #expect(try await browser.get("/console/users?\(ways[number % 2])").status == 200)
        }
        for way in ways { #expect(try await browser.get("/console/users?\(way)").status == 429, "\(way)") }
        if role == .support {
            let search = [("action", "disable"), ("q", "+15555550100")]
            #expect(try await browser.post("/console/users/bulk", search).status == 429)
            let guess = [("phone", "+15555550100"), ("email", "a@example.com")]
            #expect(try await browser.post("/console/users/new", guess).status == 429)
        }
        // Other searches go on, and so do those of an operator who sees whole numbers.
        #expect(try await browser.get("/console/users?q=ada").status == 200)
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        for _ in 0...OperatorLimits.numberSearchesPerHour {
            #expect(try await administrator.get("/console/users?\(ways[0])").status == 200)
        }
    }
}
