import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Project
import TestKit
import Testing

extension RepeatedAnswerTests {
    @Test("on a stream of HTTP/2, which is reset, gets the result at the second time, and only then")
    func stream() async throws {
        try await TestServer.withTLS(project: FlowServer.project) { server, client in
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
}
