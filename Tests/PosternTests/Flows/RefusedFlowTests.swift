import Accounts
import Federation
import Foundation
import HTTPAPI
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Sign-in flows that are refused", .teardown, .timeLimit(.minutes(15)))
struct RefusedFlowTests {
    private static let unknown = "INVALID_IDP_RESPONSE : The sign-in flow is unknown, over, or has expired."
    private static let session = "INVALID_IDP_RESPONSE : The session id does not belong to the sign-in flow."

    @Test("a state is good for one sign-in", arguments: Engine.allCases)
    func reuse(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        let flow = try await server.begin("oidc.code")
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let results = try await withThrowingTaskGroup(of: TestClient.Answer.self) { group in
            for _ in 0..<4 { group.addTask { try await server.complete(answer, flow.sessionID) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0.status == 200 } == 1)
        #expect(results.filter { $0.status != 200 }.allSatisfy { $0.errorMessage == Self.unknown })
        #expect(server.provider.count("/code/token") == 1)
    }

    @Test("a session id of somebody else, or none, completes nothing and ends nothing")
    func wrongSession() async throws {
        let server = try await FlowServer.start()
        let flow = try await server.begin("oidc.code")
        let other = try await server.begin("oidc.code")
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let hash = hexadecimal(sha256(flow.sessionID.utf8))
        for sessionID in [nil, "", "x", other.sessionID, hash] {
            #expect(try await server.complete(answer, sessionID).errorMessage == Self.session)
        }
        #expect(server.provider.count("/code/token") == 0)
        #expect(try await server.complete(answer, flow.sessionID).status == 200)
    }

    @Test("the hash of a native session id is not the session id")
    func nativeHash() async throws {
        let server = try await FlowServer.start()
        let raw = "ABCDEFGHIJ"
        let hash = hexadecimal(sha256(raw.utf8))
        var start = AuthorizationFlows.Start(providerID: "oidc.code", redirectURI: FlowServer.redirect, session: .hashed(hash))
        start.handlerData = ["eventId": "1"]
        let scope = Scope(projectID: "demo-test")
        let flows = server.core.useCases.flows.authorization
        let begun = try await flows.start(start, scope: scope)
        #expect(begun.sessionID == nil)
        let answer = try await FakeAuthorizationServer.visit(begun.authURI)
        #expect(try await server.complete(answer, hash).errorMessage == Self.session)
        let named: JSONValue = ["postBody": "providerId=oidc.code"]
        #expect(try await server.complete(answer, raw, named).status == 200)
        for bad in ["", hash.uppercased(), String(hash.dropLast()), raw] {
            start.session = .hashed(bad)
            let malformed = start
            await #expect(throws: APIError.self) { try await flows.start(malformed, scope: scope) }
        }
    }

    @Test("a flow ends after its time")
    func expiry() async throws {
        let server = try await FlowServer.start()
        let flow = try await server.begin("oidc.code")
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        server.clock.advance(by: .seconds(600))
        #expect(try await server.complete(answer, flow.sessionID).errorMessage == Self.unknown)
    }

    @Test("a flow of one tenant or provider is not another's")
    func mixUp() async throws {
        let server = try await FlowServer.start()
        let flow = try await server.begin("oidc.code", ["tenantId": "acme"])
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        #expect(try await server.complete(answer, flow.sessionID).errorMessage == Self.unknown)
        let other = try await server.begin("oidc.code")
        let second = try await FakeAuthorizationServer.visit(other.authURI)
        let named: JSONValue = ["postBody": "providerId=oidc.post"]
        #expect(try await server.complete(second, other.sessionID, named).errorMessage == Self.unknown)
        // A code of one provider with the state of another.
        let third = try await server.begin("oidc.post")
        let mixed = second.requestURI.replacing(other.query["state"] ?? "", with: third.query["state"] ?? "")
        let result = try await server.call(
            "signInWithIdp",
            ["requestUri": .string(mixed), "sessionId": .string(third.sessionID)]
        )
        #expect(result.errorMessage == "INVALID_IDP_RESPONSE : The identity provider refused the request.")
        #expect(!String(decoding: result.bytes, as: UTF8.self).contains("provider-secret-text"))
    }

    @Test("an issuer parameter must be the provider's, and must be there if announced")
    func issuerParameter() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        authorization.setAnswerParameters([("iss", server.provider.issuer("evil"))])
        let message = "INVALID_IDP_RESPONSE : The answer comes from another identity provider (iss)."
        #expect(try await server.signInByFlow("oidc.code").errorMessage == message)
        authorization.setAnswerParameters([("iss", server.provider.issuer("code"))])
        #expect(try await server.signInByFlow("oidc.code").status == 200)
        authorization.setAnswerParameters([])
        server.provider.overrideDiscovery(["authorization_response_iss_parameter_supported": true])
        server.clock.advance(by: .seconds(601))
        #expect(try await server.signInByFlow("oidc.code").errorMessage == message)
        #expect(server.provider.count("/code/token") == 1)
    }

    @Test("an ID token without the flow's nonce is refused", arguments: ["oidc.code", "oidc.implicit", "apple.com"])
    func nonce(providerID: String) async throws {
        let server = try await FlowServer.start()
        for nonce in [JSONValue.null, "", "other", 1] {
            server.provider.authorization.setTokenClaims(["nonce": nonce])
            let answer = try await server.signInByFlow(providerID)
            #expect(answer.errorMessage?.hasPrefix("MISSING_OR_INVALID_NONCE : ") == true)
        }
    }

    @Test("an ID token of another client, issuer or time is refused")
    func badTokens() async throws {
        let server = try await FlowServer.start()
        for claims: JSONValue in [["aud": "other"], ["iss": "https://evil.example"], ["exp": 1], ["sub": ""]] {
            server.provider.authorization.setTokenClaims(claims)
            let answer = try await server.signInByFlow("oidc.code")
            #expect(answer.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        }
    }

    @Test("an unsigned ID token of the token endpoint is refused (OID-15)")
    func unsignedToken() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setSignsTokens(false)
        let refused = try await server.signInByFlow("oidc.code")
        #expect(refused.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        #expect(server.provider.count("/code/token") == 1)
        server.provider.authorization.setSignsTokens(true)
        #expect(try await server.signInByFlow("oidc.code").status == 200)
    }

    @Test("the provider's error ends the flow, and its text goes nowhere")
    func providerError() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        for (error, message) in [
            ("access_denied", "USER_CANCELLED"), ("user_cancelled_authorize", "USER_CANCELLED"),
            ("server_error", "INVALID_IDP_RESPONSE : The identity provider answered with an error."),
        ] {
            authorization.setError(error)
            let flow = try await server.begin("oidc.code")
            let answer = try await FakeAuthorizationServer.visit(flow.authURI)
            let result = try await server.complete(answer, flow.sessionID)
            #expect(result.errorMessage == message)
            #expect(!String(decoding: result.bytes, as: UTF8.self).contains("<b>"))
            #expect(try await server.complete(answer, flow.sessionID).errorMessage == Self.unknown)
        }
        let denied = try await server.signInByFlow("twitter.com")
        #expect(denied.errorMessage == "USER_CANCELLED")
    }

    @Test("a code is used once, whatever the flow; a verifier of another flow does not fit")
    func codeReplay() async throws {
        let server = try await FlowServer.start()
        let first = try await server.begin("oidc.code")
        let answer = try await FakeAuthorizationServer.visit(first.authURI)
        let second = try await server.begin("oidc.code")
        let injected = answer.requestURI.replacing(first.query["state"] ?? "", with: second.query["state"] ?? "")
        let body: JSONValue = ["requestUri": .string(injected), "sessionId": .string(second.sessionID)]
        let result = try await server.call("signInWithIdp", body)
        #expect(result.errorMessage == "INVALID_IDP_RESPONSE : The identity provider refused the request.")
        #expect(server.provider.authorization.refusals == ["code_verifier"])
        // Outside a flow, a flow's code is not a server auth code.
        let google = try await server.begin("google.com")
        let code = try await FakeAuthorizationServer.visit(google.authURI)
        let form = "providerId=google.com&redirect_uri=\(FlowServer.redirect)&" + code.form.split(separator: "&")[1]
        let direct = try await server.call("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(form)])
        #expect(direct.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
    }

    @Test("a request token of another flow, or another verifier, is refused")
    func oauth1() async throws {
        let server = try await FlowServer.start()
        let mine = try await server.begin("twitter.com")
        let theirs = try await server.begin("twitter.com")
        let answer = try await FakeAuthorizationServer.visit(theirs.authURI)
        #expect(try await server.complete(answer, mine.sessionID).errorMessage == Self.session)
        let token = mine.query["oauth_token"] ?? ""
        let forged = "\(FlowServer.redirect)?oauth_token=\(token)&oauth_verifier=wrong"
        let body: JSONValue = ["requestUri": .string(forged), "sessionId": .string(mine.sessionID)]
        #expect(try await server.call("signInWithIdp", body).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        let asState = "\(FlowServer.redirect)?state=\(theirs.query["oauth_token"] ?? "")&code=x"
        let confused: JSONValue = ["requestUri": .string(asState), "sessionId": .string(theirs.sessionID)]
        #expect(try await server.call("signInWithIdp", confused).errorMessage == Self.unknown)
    }

    @Test("two ID tokens of different users are refused")
    func twoUsers() async throws {
        let server = try await FlowServer.start()
        let mine = try await server.begin("apple.com")
        let answer = try await FakeAuthorizationServer.visit(mine.authURI)
        var pairs = FormEncoding.pairs(answer.form[...].utf8).filter { $0.name != "id_token" }.map { ($0.name, $0.value) }
        pairs.append(("id_token", try server.appleToken("somebody-else")))
        let body: JSONValue = [
            "requestUri": .string(FlowServer.redirect), "postBody": .string(TestClient.encode(pairs)),
            "sessionId": .string(mine.sessionID),
        ]
        #expect(
            try await server.call("signInWithIdp", body).errorMessage
                == "INVALID_IDP_RESPONSE : The two ID tokens of the answer are of different users."
        )
    }

    @Test("a provider that was switched off or given another client since completes nothing")
    func switchedOff() async throws {
        let server = try await FlowServer.start()
        let disabled = "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."
        for (change, message) in [
            (["clientId": "another"] as JSONValue, Self.unknown), (["enabled": false] as JSONValue, disabled),
        ] {
            let flow = try await server.begin("oidc.code")
            let answer = try await FakeAuthorizationServer.visit(flow.authURI)
            try await Self.configure(change, server)
            #expect(try await server.complete(answer, flow.sessionID).errorMessage == message)
            try await Self.configure(["clientId": "code-client", "enabled": true], server)
        }
        #expect(server.provider.count("/code/token") == 0)
    }

    // Changes the configuration as an administrator does. It applies within two seconds.
    private static func configure(_ change: JSONValue, _ server: TestServer) async throws {
        let scope = Scope(projectID: "demo-test")
        let now = server.clock.now
        try await server.core.database.write { transaction in
            let old = try transaction.resource(scope, kind: .oauthIdpConfig, resourceID: "oidc.code") ?? [:]
            let record = ResourceRecord(kind: .oauthIdpConfig, resourceID: "oidc.code", document: old.merging(change))
            try transaction.putResource(scope, record, at: now)
        }
        server.clock.advance(by: .seconds(2))
    }
}
