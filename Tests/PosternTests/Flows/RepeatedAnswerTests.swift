import Accounts
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

/// Ruling 43, threat cases OAU-01, RES-06 and THR-13.
@Suite("A client that hangs up while its code is exchanged", .teardown, .timeLimit(.minutes(15)))
struct RepeatedAnswerTests {
    private static let unknown = "INVALID_IDP_RESPONSE : The sign-in flow is unknown, over, or has expired."
    private static let user: JSONValue = ["sub": "ada", "email": "ada@example.com", "email_verified": true, "team": "x"]

    /// A flow whose answer has been posted by a client that has gone.
    private struct Lost {
        let flow: BegunFlow
        let answer: FakeAuthorizationServer.Answer
    }

    /// Posts the answer of a flow, and hangs up after the provider has exchanged the code. The provider's answer reaches the server only
    /// after that.
    private func lose(
        _ server: TestServer,
        _ providerID: String = "oidc.code",
        at path: String = "/code/token",
        more: JSONValue = [:]
    ) async throws -> Lost {
        let flow = try await server.begin(providerID, ["context": "mine"])
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        server.outgoing.hold(at: path) {
            while !FinishedWork.isAbandoned { try await Task.sleep(for: .milliseconds(5)) }
        }
        let count = server.provider.count(path)
        var body: JSONValue = ["requestUri": .string(answer.requestURI), "sessionId": .string(flow.sessionID)]
        body["postBody"] = answer.postBody.map(JSONValue.string)
        let connection = try await RawConnection(port: server.port)
        try await connection.send(HangUpTests.request("signInWithIdp", body.merging(more)))
        try await eventually { server.provider.count(path) == count + 1 }
        await connection.close()
        return Lost(flow: flow, answer: answer)
    }

    private func again(_ server: TestServer, _ lost: Lost, _ more: JSONValue = [:]) async throws -> TestClient.Answer {
        try await server.complete(lost.answer, lost.flow.sessionID, more)
    }

    private func rows(_ server: TestServer) async throws -> [String?] {
        try await server.core.database.read { transaction in
            try transaction.query("SELECT proof FROM answered_flows").map { try $0.textIfPresent("proof") }
        }
    }

    @Test("gets the result when it brings the same answer again, once", arguments: Engine.allCases)
    func repetition(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        server.provider.authorization.setUser(Self.user)
        let lost = try await lose(server)
        let result = try await again(server, lost)
        let session = try server.session(result)
        #expect(result["isNewUser"] == true)
        #expect(result["email"] == "ada@example.com")
        #expect(result["context"] == "mine")
        #expect(try JSONValue.parse((result["rawUserInfo"]?.string ?? "").utf8)["team"] == "x")
        // The provider's tokens were not kept. A pending token stands for them.
        for member in ["oauthIdToken", "oauthAccessToken", "oauthRefreshToken", "nonce"] {
            #expect(result[member] == nil, "\(member)")
        }
        let pending: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(result["pendingToken"])]
        #expect(try server.session(try await server.call("signInWithIdp", pending)).localID == session.localID)
        #expect(try await server.account(session)["email"] == "ada@example.com")
        #expect(server.provider.count("/code/token") == 1)
        #expect(try await rows(server) == [])
        #expect(try await again(server, lost).errorMessage == Self.unknown)
    }

    @Test("only with its sending side is told, and nothing is kept for it")
    func halfClosed() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(Self.user)
        let flow = try await server.begin("oidc.code")
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        server.outgoing.hold(at: "/code/token") { try await Task.sleep(for: .milliseconds(50)) }
        let body: JSONValue = ["requestUri": .string(answer.requestURI), "sessionId": .string(flow.sessionID)]
        let connection = try await RawConnection(port: server.port)
        try await connection.send(HangUpTests.request("signInWithIdp", body))
        try await connection.finishSending()
        #expect(await connection.waitForEnd().contains("HTTP/1.1 200 "))
        try await eventually { try await rows(server).isEmpty }
        #expect(try await server.complete(answer, flow.sessionID).errorMessage == Self.unknown)
    }

    @Test("gets the result on any node", arguments: Engine.allCases)
    func otherNode(engine: Engine) async throws {
        let environment = ["POSTERN_DATABASE_URL": try await TestServer.makeSharedStore(on: engine)]
        let other = try await FlowServer.start(environment: environment)
        let server = try await FlowServer.start(environment: environment)
        server.provider.authorization.setUser(Self.user)
        let lost = try await lose(server)
        #expect(try await again(other, lost).status == 200)
        #expect(try await again(server, lost).errorMessage == Self.unknown)
    }

    @Test("and an answer that is not the same, or of another session, gets nothing and ends nothing (OAU-01)")
    func others() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(Self.user)
        let lost = try await lose(server)
        let hash = hexadecimal(sha256(lost.flow.sessionID.utf8))
        for sessionID in [nil, "", "x", hash] {
            #expect(try await server.complete(lost.answer, sessionID).errorMessage == Self.unknown)
        }
        let answer = lost.answer
        for form in [
            answer.form + "x", answer.form + "&user=x", answer.form.replacing("code=", with: "error=access_denied&code="),
        ] {
            let body: JSONValue = [
                "requestUri": .string("\(answer.redirectURI)?\(form)"), "sessionId": .string(lost.flow.sessionID),
            ]
            #expect(try await server.call("signInWithIdp", body).errorMessage == Self.unknown, "\(form)")
        }
        let named: JSONValue = ["postBody": "providerId=oidc.post"]
        #expect(try await again(server, lost, named).errorMessage == Self.unknown)
        let tenant: JSONValue = ["tenantId": "acme"]
        #expect(try await again(server, lost, tenant).errorMessage == Self.unknown)
        #expect(try await again(server, lost).status == 200)
    }

    @Test("gets nothing after a minute")
    func late() async throws {
        let server = try await FlowServer.start()
        let lost = try await lose(server)
        try await eventually { try await rows(server).contains { $0 != nil } }
        server.clock.advance(by: .seconds(61))
        #expect(try await again(server, lost).errorMessage == Self.unknown)
    }

    @Test("leaves nothing readable in the store, and nothing at all when it was told", arguments: Engine.allCases)
    func store(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        server.provider.authorization.setUser(Self.user)
        _ = try server.session(try await server.signInByFlow("oidc.code"))
        try await eventually { try await rows(server).isEmpty }
        _ = try await lose(server)
        try await eventually { try await rows(server).contains { $0 != nil } }
        let kept = try #require(try await rows(server).first ?? nil)
        #expect(!kept.contains("ada") && !kept.contains("access-"))
        let sealer = server.core.keys.sealer
        let opened = try sealer.open(kept, for: .flowProof, scope: Scope(projectID: "demo-test"))
        let text = String(decoding: opened, as: UTF8.self)
        #expect(text.contains("ada@example.com"))
        #expect(!text.contains("access-") && !text.contains("refresh-") && !text.contains("eyJ"))
    }

    @Test("gets no account that was disabled, no provider that was switched off, and no link of a session that ended since")
    func ended() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(Self.user)
        let session = try server.session(try await server.signInByFlow("oidc.code"))
        let blocked = try await lose(server)
        #expect(try await server.callAsAdmin("update", ["localId": .string(session.localID), "disableUser": true]).status == 200)
        expectRefused(try await again(server, blocked), "USER_DISABLED")
        server.provider.authorization.setUser(["sub": "bob"])
        let guest = try server.session(try await server.call("signUp", [:]))
        let linking = try await lose(server, more: guest.token)
        #expect(try await server.call("delete", guest.token).status == 200)
        #expect(try await again(server, linking, guest.token).status == 400)
        let off = try await lose(server)
        #expect(
            try await server.admin("PATCH", "/oauthIdpConfigs/oidc.code?updateMask=enabled", ["enabled": false]).status == 200
        )
        server.clock.advance(by: .seconds(3))
        expectRefused(try await again(server, off), "OPERATION_NOT_ALLOWED")
    }

    @Test(
        "gets the result also where the ID token came through the browser, and where there is none",
        arguments: [
            ("apple.com", "/apple/auth/token"), ("google.com", "/google/token"), ("twitter.com", "/twitter/oauth/access_token"),
        ]
    )
    func providers(providerID: String, path: String) async throws {
        let server = try await FlowServer.start()
        let provider = try #require(FlowProvider.all.first { $0.providerID == providerID })
        provider.enter(server)
        let lost = try await lose(server, providerID, at: path)
        let result = try await again(server, lost)
        _ = try server.session(result)
        #expect(result["displayName"] == "Ada Lovelace")
        #expect(server.provider.count(path) == 1)
    }

    @Test("gets no result of a code that the provider refused")
    func refusedCode() async throws {
        let server = try await FlowServer.start()
        server.provider.setFault(.status(400), at: "/code/token")
        let lost = try await lose(server)
        server.provider.setFault(nil, at: "/code/token")
        #expect(try await again(server, lost).errorMessage == Self.unknown)
        #expect(try await rows(server) == [])
    }

    @Test("has its call counted as refused, though the code was good (THR-13)")
    func counted() async throws {
        let server = try await FlowServer.start(environment: ["POSTERN_LIMITS_SIGN_IN_REFUSED_CALLS_PER_ADDRESS_PER_HOUR": "1"])
        let lost = try await lose(server)
        // The repetition costs no call.
        #expect(try await again(server, lost).status == 200)
        let throttled = try await server.signInByFlow("oidc.code")
        #expect(throttled.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(server.provider.count("/code/token") == 1)
    }

    @Test("gets nothing for a server auth code, which no session id binds to it, and signs in with a new one")
    func serverAuthCode() async throws {
        let server = try await FlowServer.start()
        func body() -> JSONValue {
            let authorization = server.provider.authorization
            let code = authorization.nativeCode(issuer: "google", clientID: "google-client", claims: ["sub": "g-2"])
            let form = TestClient.encode([("providerId", "google.com"), ("code", code)])
            return ["requestUri": "http://localhost", "postBody": .string(form)]
        }
        server.outgoing.hold(at: "/google/token") {
            while !FinishedWork.isAbandoned { try await Task.sleep(for: .milliseconds(5)) }
        }
        let lost = body()
        let connection = try await RawConnection(port: server.port)
        try await connection.send(HangUpTests.request("signInWithIdp", lost))
        try await eventually { server.provider.count("/google/token") == 1 }
        await connection.close()
        server.outgoing.hold(at: "/none") {}
        expectRefused(try await server.call("signInWithIdp", lost))
        #expect(try await rows(server) == [])
        _ = try server.session(try await server.call("signInWithIdp", body()))
    }

    @Test("on a stream of HTTP/2, which is reset, gets the result at the second time, and only then")
    func stream() async throws {
        let (server, client) = try await TestServer.startWithTLS(project: FlowServer.project)
        FlowServer.register(at: server)
        @Sendable func post(_ method: String, _ body: JSONValue) async throws -> JSONValue {
            let url = "https://127.0.0.1:\(server.port)/v1/accounts:\(method)?key=\(TestServer.apiKey)"
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.body = .bytes(ByteBuffer(bytes: body.serialized()))
            let response = try await client.execute(request, timeout: .seconds(600))
            return try JSONValue.parse(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        }
        @Sendable func answer() async throws -> JSONValue {
            let start: JSONValue = ["providerId": "oidc.code", "continueUri": .string(FlowServer.redirect)]
            let flow = try await post("createAuthUri", start)
            let answer = try await FakeAuthorizationServer.visit(try #require(flow["authUri"]?.string))
            return ["requestUri": .string(answer.requestURI), "sessionId": flow["sessionId"] ?? .null]
        }
        let told = try await answer()
        #expect(try await post("signInWithIdp", told)["idToken"]?.string != nil)
        #expect(try await post("signInWithIdp", told)["error"]?["code"] == 400)
        let lost = try await answer()
        server.outgoing.hold(at: "/code/token") {
            while !FinishedWork.isAbandoned { try await Task.sleep(for: .milliseconds(5)) }
        }
        let first = Task { try await post("signInWithIdp", lost) }
        try await eventually { server.provider.count("/code/token") == 2 }
        first.cancel()
        #expect(try await post("signInWithIdp", lost)["idToken"]?.string != nil)
        #expect(try await post("signInWithIdp", lost)["error"]?["code"] == 400)
        #expect(server.provider.count("/code/token") == 2)
    }
}
