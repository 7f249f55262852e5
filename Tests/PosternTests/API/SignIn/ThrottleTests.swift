import Project
import TestKit
import Testing

@Suite("Clients that try too often are asked to come back later", .teardown, .timeLimit(.minutes(15)))
struct ThrottleTests {
    @Test("the fourth sign-up of three in an hour is refused with Retry-After", arguments: Engine.allCases)
    func signUps(engine: Engine) async throws {
        let environment = ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "3", "POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]
        let server = try await TestServer.start(environment: environment, on: engine)
        func signUp(_ address: String, tenant: JSONValue = [:]) async throws -> TestClient.Answer {
            let path = "/v1/accounts:signUp?key=\(TestServer.apiKey)"
            return try await server.client.post(path, tenant, headers: [("X-Forwarded-For", address)])
        }
        for _ in 0..<3 { #expect(try await signUp("192.0.2.1").status == 200) }
        server.clock.advance(by: .seconds(60))
        let refused = try await signUp("192.0.2.1")
        #expect(refused.status == 400)
        #expect(refused.errorMessage == "TOO_MANY_ATTEMPTS_TRY_LATER : Too many sign-ups. Please try again later.")
        #expect(refused.header("Retry-After") == "3540")
        #expect(try await signUp("192.0.2.1", tenant: ["tenantId": "acme"]).status == 400)
        // The part that the client writes before its own address is not trusted.
        #expect(try await signUp("198.51.100.7, ::ffff:192.0.2.1").status == 400)
        #expect(try await signUp("192.0.2.2").status == 200)
        server.clock.advance(by: .seconds(3540))
        #expect(try await signUp("192.0.2.1").status == 200)
    }

    @Test("many networks of one IPv6 customer sign up 16 times as often as one, and no more (THR-14)", arguments: Engine.allCases)
    func customers(engine: Engine) async throws {
        let environment = ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1", "POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]
        let server = try await TestServer.start(environment: environment, on: engine)
        func signUp(_ address: String) async throws -> TestClient.Answer {
            let path = "/v1/accounts:signUp?key=\(TestServer.apiKey)"
            return try await server.client.post(path, [:], headers: [("X-Forwarded-For", address)])
        }
        for number in 0..<4 { #expect(try await signUp("2001:db8:1:\(number)::1").status == 200) }
        #expect(try await signUp("2001:db8:1:4::1").status == 400)
        for number in 1..<13 { #expect(try await signUp("2001:db8:1:\(number)00::1").status == 200) }
        let refused = try await signUp("2001:db8:1:1300::1")
        #expect(refused.errorMessage == "TOO_MANY_ATTEMPTS_TRY_LATER : Too many sign-ups. Please try again later.")
        #expect(refused.status == 400 && refused.header("Retry-After") == "3600")
        #expect(try await signUp("2001:db8:2::1").status == 200)
        #expect(try await signUp("192.0.2.1").status == 200)
    }

    @Test(
        "lists of addresses are not tried out by signing up: only so many are told in an hour, then the answer is one for all (ENU-02)",
        arguments: ["another password", "weak"]
    )
    func takenAddresses(password: String) async throws {
        let environment = ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "3"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        func signUp(_ email: String) async throws -> String? {
            try await server.call("signUp", ["email": .string(email), "password": .string(password)]).errorMessage
        }
        _ = try await server.signUp("ada@example.com")
        #expect(try await signUp("ada@example.com") == "EMAIL_EXISTS")
        let free = try await signUp("grace@example.com")
        #expect(password == "weak" ? free?.hasPrefix("WEAK_PASSWORD") == true : free == nil)
        let refusals = [try await signUp("ada@example.com"), try await signUp("free@example.com")]
        #expect(refusals[0]?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(refusals[0] == refusals[1])
        // Who looks no address up is not held up.
        #expect(try await server.call("signUp", [:]).status == 200)
    }

    @Test("a header of somebody who is no trusted proxy is not believed (THR-05)")
    func forgedAddress() async throws {
        let server = try await TestServer.start(environment: ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1"])
        let path = "/v1/accounts:signUp?key=\(TestServer.apiKey)"
        #expect(try await server.client.post(path, [:]).status == 200)
        for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP"] {
            for value in ["192.0.2.1", "192.0.2.1, 192.0.2.2", "192.0.2.1:80", "for=192.0.2.1"] {
                #expect(try await server.client.post(path, [:], headers: [(name, value)]).status == 400, "\(name): \(value)")
            }
        }
    }

    @Test("a password reset by mail ends the wait of an account that was guessed at", arguments: Engine.allCases)
    func reset(engine: Engine) async throws {
        let environment = ["POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "2"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject(), on: engine)
        _ = try await server.signUp("ada@example.com")
        func signIn(_ password: String) async throws -> TestClient.Answer {
            try await server.call("signInWithPassword", ["email": "ada@example.com", "password": .string(password)])
        }
        for _ in 0..<2 { #expect(try await signIn("wrong password").errorMessage == "INVALID_PASSWORD") }
        let refused = try await signIn("new password").errorMessage
        #expect(refused?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        let code = try await server.code("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "new password"]).status == 200)
        #expect(try await signIn("new password").status == 200)
    }

    @Test("development throttles nothing")
    func development() async throws {
        let environment = ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1"]
        let server = try await TestServer.start(mode: .development, environment: environment)
        for _ in 0..<3 { #expect(try await server.call("signUp", [:]).status == 200) }
    }
}
