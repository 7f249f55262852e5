import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("The page that connects an app", .teardown, .timeLimit(.minutes(15)))
struct ConnectScreenTests {
    private static let emulator = ["connectAuthEmulator", "useEmulator", "useAuthEmulator", "FIREBASE_AUTH_EMULATOR_HOST"]

    private func page(_ server: TestServer) async throws -> String {
        let browser = try await ConsoleClient.enroll(server, role: .viewer)
        let page = try await browser.get("/console/connect")
        #expect(page.status == 200)
        return page.html
    }

    @Test("in production has the documentation's steps with this server's values, and none of the emulator's settings")
    func production() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let html = try await page(server)
        for word in Self.emulator { #expect(!html.contains(word), "\(word)") }
        for step in ["connectPostern(getAuth(app)", "PosternFirebase.use(", "PosternURLs.factory(", "postern_firebase.use("] {
            #expect(html.contains(step), "\(step)")
        }
        #expect(!html.contains("auth.example.com") && !html.contains("my-project") && html.contains("demo-test"))
    }

    @Test("in development has the emulator's settings")
    func development() async throws {
        let server = try await TestServer.start(mode: .development, environment: ConsoleClient.environment)
        let html = try await page(server)
        for word in Self.emulator { #expect(html.contains(word), "\(word)") }
    }
}
