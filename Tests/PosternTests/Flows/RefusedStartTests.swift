import Project
import TestKit
import Testing

@Suite("Sign-in flows that do not begin", .teardown, .timeLimit(.minutes(15)))
struct RefusedStartTests {
    @Test("what begins no flow is refused in the contract's order")
    func refusedStarts() async throws {
        let server = try await FlowServer.start()
        let uri: JSONValue = .string(FlowServer.redirect)
        for (body, message): (JSONValue, String) in [
            ([:], "MISSING_IDENTIFIER"), (["providerId": "oidc.code"], "MISSING_CONTINUE_URI"),
            (["providerId": "oidc.code", "continueUri": "x", "identifier": "no address"], "INVALID_IDENTIFIER"),
            (["providerId": "oidc.code", "continueUri": "/x"], "INVALID_CONTINUE_URI"),
            (["providerId": "nobody.example", "continueUri": uri], "INVALID_PROVIDER_ID"),
            (
                ["providerId": "oidc.none", "continueUri": uri],
                "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."
            ),
            (
                ["providerId": "oidc.off", "continueUri": uri],
                "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."
            ),
            (
                ["providerId": "oidc.nosecret", "continueUri": uri],
                "OPERATION_NOT_ALLOWED : The identity provider configuration has no client secret."
            ),
            (
                ["providerId": "microsoft.com", "continueUri": uri, "customParameter": ["tenant": "../x"]],
                "OPERATION_NOT_ALLOWED"
            ),
        ] {
            let answer = try await server.call("createAuthUri", body)
            #expect(answer.status == 400)
            #expect(answer.errorMessage == message || answer.errorMessage?.hasPrefix(message + " : ") == true)
        }
        func start(_ providerID: String, _ name: String) async throws -> TestClient.Answer {
            let parameter: JSONValue = .object([MemberName(name): "x"])
            let body: JSONValue = ["providerId": .string(providerID), "continueUri": uri, "customParameter": parameter]
            return try await server.call("createAuthUri", body)
        }
        // Only OAuth 1.0a has this parameter.
        #expect(try await start("oidc.code", "oauth_token")["authUri"]?.string?.contains("&oauth_token=x") == true)
        for (providerID, name) in [
            ("oidc.code", "client_id"), ("oidc.code", "response_type"), ("oidc.code", "scope"), ("oidc.code", "redirect_uri"),
            ("oidc.code", "state"), ("twitter.com", "oauth_token"),
        ] {
            let answer = try await start(providerID, name)
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.hasPrefix("Invalid JSON payload received.") == true)
        }
    }

    @Test(
        "people are not sent back to a stranger",
        arguments: [
            "https://evil.example/", "https://app.example.com@evil.example/", "https://evil.example\\@app.example.com/",
            "//evil.example", "https://app.example.com.evil.example/", "https://appXexample.com/",
            "javascript:alert(1)//app.example.com",
            "https://app.example.com/\r\nx", "https://app.example.com/\tx", "https://app.example.com/#x",
            "https://app.example.com/?state=x", "https://user@app.example.com/", "https://аpp.example.com/",
        ]
    )
    func openRedirect(uri: String) async throws {
        let server = try await FlowServer.start()
        let answer = try await server.call("createAuthUri", ["providerId": "oidc.code", "continueUri": .string(uri)])
        #expect(answer.status == 400)
        #expect(["INVALID_CONTINUE_URI", "UNAUTHORIZED_DOMAIN"].contains { answer.errorMessage?.hasPrefix($0) == true })
    }
}
