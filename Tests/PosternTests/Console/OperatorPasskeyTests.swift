import TestKit
import Testing

@testable import Server

@Suite("Operators' passkeys", .teardown, .timeLimit(.minutes(15)))
struct OperatorPasskeyTests {
    @Test("say whose they are where the ceremony named nobody, and may leave it out where it did")
    func userHandles() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let passkey = try await OperatorPasskey(server)
        let silent = try await passkey.answer("/console/sign-in") { $0.userHandle = nil }
        let refused = try await OperatorPasskey.post(server, "/console/sign-in", silent)
        #expect(refused.status == 200 && refused.answer.header("Set-Cookie") == nil)
        let named = try await passkey.answer("/console/sign-in")
        #expect(try await OperatorPasskey.post(server, "/console/sign-in", named).status == 303)

        for handle in [nil, passkey.operatorID] {
            let session = try await OperatorPasskey.post(
                server,
                "/console/sign-in",
                try await passkey.answer("/console/sign-in")
            )
            let header = session.answer.header("Set-Cookie") ?? ""
            let cookie = try #require(header.firstMatch(of: /^__Host-postern-console=([^;]*);/).map { String($0.1) })
            let answer = try await passkey.answer("/console/confirm", cookie: cookie) { $0.userHandle = handle }
            let confirmed = try await OperatorPasskey.post(server, "/console/confirm", answer, cookie: cookie)
            #expect(confirmed.status == 303, "\(handle ?? "none")")
        }
        let other = try await passkey.answer("/console/confirm", cookie: passkey.cookie) { $0.userHandle = "somebody-else" }
        #expect(try await OperatorPasskey.post(server, "/console/confirm", other, cookie: passkey.cookie).status == 200)
    }
}
