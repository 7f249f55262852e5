import CZlib
import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@testable import Server

@Suite("Answers of providers that are compressed or odd", .teardown, .timeLimit(.minutes(15)))
struct OddAnswerTests {
    private static let paths = ["/code/.well-known/openid-configuration", "/code/jwks", "/code/token", "/code/userinfo"]

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(length))
        #expect(compress2(&result, &length, bytes, UInt(bytes.count), 9) == Z_OK)
        return Array(result.prefix(Int(length)))
    }

    // RFC 1952: the same data without zlib's own frame.
    private static func gzipped(_ bytes: [UInt8]) -> [UInt8] {
        func little(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
        let check = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + deflated(bytes).dropFirst(2).dropLast(4) + little(check)
            + little(UInt32(bytes.count))
    }

    /// Changes every answer of the provider, and expects that it can be read.
    private func expectRead(_ rewriting: @escaping FakeIDP.Rewriting) async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "ada"])
        server.provider.authorization.setProfile(["sub": "ada", "name": "Ada", "email": "ada@example.com"])
        for path in Self.paths { server.provider.rewrite(at: path, rewriting) }
        let result = try await server.signInByFlow("oidc.code")
        _ = try server.session(result)
        #expect(result["email"] == "ada@example.com")
        for path in Self.paths { #expect(server.provider.count(path) > 0, "\(path)") }
    }

    @Test("in gzip are read")
    func gzip() async throws {
        try await expectRead { answer in
            .init(status: 200, headers: answer.headers + [("Content-Encoding", "gzip")], body: Self.gzipped(answer.body))
        }
    }

    @Test("in deflate are read")
    func deflate() async throws {
        try await expectRead { answer in
            .init(status: 200, headers: answer.headers + [("Content-Encoding", "deflate")], body: Self.deflated(answer.body))
        }
    }

    @Test("with a byte order mark are read")
    func byteOrderMark() async throws {
        try await expectRead { answer in
            .init(status: 200, headers: answer.headers, body: [0xEF, 0xBB, 0xBF] + answer.body)
        }
    }

    @Test("that are SAML metadata are read in gzip and with a byte order mark")
    func metadata() async throws {
        let publisher = try await LoopbackService.start()
        let stage = try await SAMLStage.start()
        let text = try stage.provider.metadata(singleSignOn: "https://idp.example/sso2")
        let body = Self.gzipped([0xEF, 0xBB, 0xBF] + Array(text.utf8))
        publisher.reply { _ in .init(headers: [("Content-Encoding", "gzip")], body: body) }
        let url: JSONValue = ["metadataUrl": .string(publisher.origin + "/metadata")]
        let changed = try await stage.server.admin("POST", "/inboundSamlConfigs/saml.test/metadata", url)
        #expect(changed["idpConfig"]?["ssoUrl"] == "https://idp.example/sso2", "\(changed.errorMessage ?? "")")
    }

    @Test("are asked for without any coding")
    func acceptEncoding() async throws {
        let service = try await LoopbackService.start()
        let server = try await TestServer.start()
        _ = try await server.core.http.outbound(.init(url: service.origin + "/document"))
        #expect(service.calls.first?.headers["accept-encoding"] == "identity")
    }

    @Test("are inflated within the bound of their size, and refused when they are torn")
    func bounds() async throws {
        let service = try await LoopbackService.start()
        let bomb = Self.gzipped([UInt8](repeating: 0x20, count: 64 << 20))
        let torn = Array(Self.gzipped([UInt8](repeating: 0x20, count: 4096)).dropLast(12))
        let server = try await TestServer.start()
        let outbound = server.core.http.outbound
        service.reply { _ in .init(headers: [("Content-Encoding", "gzip")], body: bomb) }
        await #expect(throws: OutboundError.tooLarge) { try await outbound(.init(url: service.origin + "/bomb")) }
        let few = OutboundHTTP.Limits(maximumBodyBytes: 1000)
        service.reply { _ in
            .init(headers: [("Content-Encoding", "gzip")], body: Self.gzipped(Array(repeating: 1, count: 2000)))
        }
        await #expect(throws: OutboundError.tooLarge) {
            try await outbound(.init(url: service.origin + "/few"), limits: few)
        }
        service.reply { _ in .init(headers: [("Content-Encoding", "gzip")], body: torn) }
        await #expect(throws: OutboundError.self) { try await outbound(.init(url: service.origin + "/torn")) }
        service.reply { _ in .init(headers: [("Content-Encoding", "gzip")], body: Self.gzipped(Array("fine".utf8))) }
        #expect(try await outbound(.init(url: service.origin + "/fine")).body == Array("fine".utf8))
    }

    @Test(
        "of the token endpoint count with status 201, and with no other than 200",
        arguments: [(201, 200), (202, 400), (204, 400)]
    )
    func created(status: Int, outcome: Int) async throws {
        let server = try await FlowServer.start()
        server.provider.rewrite(at: "/code/token") { answer in
            .init(status: status, headers: answer.headers, body: answer.body)
        }
        #expect(try await server.signInByFlow("oidc.code").status == outcome)
    }

    @Test("with keys whose numbers are padded or in plain base64, or whose id is a number, are read; tokens stay strict")
    func keys() async throws {
        let server = try await TestServer.start()
        let key = try TestKey.rsa(kid: "17")
        let jwk = key.jwk
        func plain(_ name: String, padded: Bool) throws -> JSONValue {
            let bytes = try #require(jwk[name]?.string.flatMap { Base64URL.decode($0.utf8) })
            let text = Data(bytes).base64EncodedString()
            return .string(padded ? text : text.trimmingCharacters(in: ["="]))
        }
        for changes: JSONValue in [
            ["n": try plain("n", padded: true), "e": try plain("e", padded: true)], ["n": try plain("n", padded: false)],
            ["n": .string((jwk["n"]?.string ?? "") + "==")], ["kid": 17],
        ] {
            server.clock.advance(by: .seconds(90_000))
            server.provider.publish(keySet: ["keys": [jwk.merging(changes)]])
            let now = server.claims("oidc", TestServer.oidcClient, "u")
            let answer = try await server.signIn("oidc.test", try key.token(claims: now))
            #expect(answer.status == 200, "\(changes.text): \(answer.errorMessage ?? "")")
        }
        // A token names its key by a text, and its segments have one spelling.
        let numbered = try key.token(claims: server.claims("oidc", TestServer.oidcClient, "u"), header: ["kid": 17])
        expectRefused(try await server.signIn("oidc.test", numbered))
        let good = try key.token(claims: server.claims("oidc", TestServer.oidcClient, "u"))
        expectRefused(try await server.signIn("oidc.test", good + "="))
        #expect(try await server.signIn("oidc.test", good).status == 200)
    }

    @Test("with hundreds of keys are read as far as the five hundredth")
    func manyKeys() async throws {
        let server = try await TestServer.start()
        let good = server.provider.key().jwk
        let others = (0..<500).map { good.merging(["kid": .string("other-\($0)"), "use": "enc"]) }
        server.provider.publish(keySet: ["keys": .array(Array(others.prefix(499)) + [good])])
        #expect(try await server.signIn("oidc.test", try server.oidcToken()).status == 200)
        server.clock.advance(by: .seconds(90_000))
        server.provider.publish(keySet: ["keys": .array(others + [good])])
        expectRefused(try await server.signIn("oidc.test", try server.oidcToken()))
    }

    @Test("of providers that know no usual scopes come to those that the configuration names", arguments: Engine.allCases)
    func scopes(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        func set(_ scopes: JSONValue) async throws -> TestClient.Answer {
            try await server.admin("PATCH", "/oauthIdpConfigs/oidc.code?updateMask=scopes", ["scopes": scopes])
        }
        func asked(_ extra: JSONValue = [:]) async throws -> String? {
            server.clock.advance(by: .seconds(3))
            return try await server.begin("oidc.code", extra).query["scope"]
        }
        #expect(try await asked() == "openid email profile")
        #expect(try await set(["account_email", "openid"])["scopes"] == ["account_email", "openid"])
        #expect(try await asked() == "openid account_email")
        #expect(try await asked(["oauthScope": "profile_nickname"]) == "openid account_email profile_nickname")
        _ = try server.session(try await server.signInByFlow("oidc.code"))
        #expect(try await set(["openid"]).status == 200)
        #expect(try await asked() == "openid")
        for bad: JSONValue in [["a b"], ["\""], [""], .array(Array(repeating: "a", count: 101)), "email"] {
            #expect(try await set(bad).status == 400, "\(bad.text)")
        }
        #expect(try await set([]).status == 200)
        #expect(try await asked() == "openid email profile")
    }
}
