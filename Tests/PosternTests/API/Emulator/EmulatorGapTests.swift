import Foundation
import Project
import TestKit
import Testing

@Suite(
    "What the emulator knows and does not do answers 501 in development, and counts in production",
    .teardown,
    .timeLimit(.minutes(15))
)
struct EmulatorGapTests {
    private static let gaps: [(method: String, body: JSONValue)] =
        ["captchaChallenge", "captchaResponse", "idToken", "pendingIdToken"].map { member in
            ("signInWithPassword", ["email": "a@b.c", "password": "secret-1", member: "x"])
        } + [
            ("signInWithIdp", ["returnRefreshToken": true]),
            ("signInWithIdp", ["pendingIdToken": "x"]),
            ("sendOobCode", ["requestType": "RECOVER_EMAIL", "email": "a@b.c"]),
            ("sendOobCode", ["requestType": "OLD_EMAIL_AGREE", "email": "a@b.c"]),
            ("update", ["idToken": "x", "upgradeToFederatedLogin": true]),
            ("update", ["idToken": "x", "provider": ["google.com"]]),
            ("update", ["idToken": "x", "deleteAttribute": ["RAW_USER_INFO"]]),
        ]

    @Test("members and values that have no effect there")
    func members() async throws {
        try await TestServer.running(mode: .development) { server in
            for (method, body) in Self.gaps {
                let answer = try await server.call(method, body)
                #expect(answer.status == 501, "\(method) \(body)")
                #expect(answer["error"]?["status"] == "NOT_IMPLEMENTED")
                #expect(answer["error"]?["errors"]?[0]?["reason"] == "unimplemented")
            }
            #expect(try await server.call("signInWithPassword", ["captchaResponse": "x"]).errorMessage == "MISSING_EMAIL")
        }
        let server = try await TestServer.start(project: TestServer.emailProject())
        for (method, body) in Self.gaps { #expect(try await server.call(method, body).status == 400, "\(method) \(body)") }
        _ = try await server.signUp("a@b.c")
        #expect(try await server.call(Self.gaps[1].method, Self.gaps[1].body).status == 200)
    }

    @Test("codes that accounts:update does not apply")
    func codes() async throws {
        let server = try await TestServer.start(mode: .development)
        _ = try await server.signUp("a@b.c")
        let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        #expect(try await server.call("update", ["oobCode": .string(code)]).status == 501)
        #expect(try await server.call("resetPassword", ["oobCode": .string(code)]).status == 200)
    }

    @Test("an empty key in the query leaves the one in the header, and %40 is an @")
    func spellings() async throws {
        let server = try await TestServer.start()
        let headers = [("x-goog-api-key", TestServer.apiKey)]
        let answer = try await server.client.post("/v1/accounts:signInWithPassword?key=", [:], headers: headers)
        #expect(answer.errorMessage == "PASSWORD_LOGIN_DISABLED")
        let path = "/robot/v1/metadata/x509/securetoken%40system.gserviceaccount.com"
        #expect(try await server.client.get(path).status == 200)
    }
}
