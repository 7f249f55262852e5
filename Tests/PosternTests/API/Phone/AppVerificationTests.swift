import Accounts
import Crypto
import Foundation
import HTTPAPI
import Project
import TestKit
import Testing

@testable import Server

@Suite("Verification of apps", .teardown, .timeLimit(.minutes(15)))
struct AppVerificationTests {
    static let number = "+16505551234"
    static let logged = ["POSTERN_SMS_TRANSPORT": "log"]

    @Test("a secret pushed to an iOS app proves it, again and again, and no other app")
    func push() async throws {
        let apns = try await LoopbackService.start(speaksHTTP2: true)
        let directory = try await makeTemporaryDirectory()
        let key = P256.Signing.PrivateKey()
        let file = directory + "/AuthKey.p8"
        try key.pemRepresentation.write(toFile: file, atomically: true, encoding: .utf8)
        let variables = Self.logged.merging([
            "POSTERN_APNS_KEY_ID": "KEY1234567", "POSTERN_APNS_TEAM_ID": "TEAM123456",
            "POSTERN_APNS_PRIVATE_KEY_FILE": file, "POSTERN_APNS_BASE_URL": apns.origin,
        ]) { $1 }
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject())
        try await check(server, apns, key)
    }

    private func makePush() async throws -> (TestServer, LoopbackService) {
        let apns = try await LoopbackService.start(speaksHTTP2: true)
        let directory = try await makeTemporaryDirectory()
        let file = directory + "/AuthKey.p8"
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: file, atomically: true, encoding: .utf8)
        let variables = Self.logged.merging([
            "POSTERN_APNS_KEY_ID": "KEY1234567", "POSTERN_APNS_TEAM_ID": "TEAM123456",
            "POSTERN_APNS_PRIVATE_KEY_FILE": file, "POSTERN_APNS_BASE_URL": apns.origin,
        ]) { $1 }
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject())
        return (server, apns)
    }

    private static let bundle = [("X-Ios-Bundle-Identifier", "com.example.app")]

    private func verify(_ server: TestServer) async throws -> TestClient.Answer {
        try await server.client.post(
            "/v1/accounts:verifyIosClient?key=\(TestServer.apiKey)",
            ["appToken": "ABCDEF0123456789"],
            headers: Self.bundle
        )
    }

    @Test("a secret is good as soon as it is pushed, however quick the app is, and worthless when Apple does not take it")
    func quickApp() async throws {
        let (server, apns) = try await makePush()
        let shown = LockedState<[Int?]>([])
        apns.reply { call in
            let secret = call.json["com.google.firebase.auth"]
            let proof: JSONValue = ["iosReceipt": secret?["receipt"] ?? .null, "iosSecret": secret?["secret"] ?? .null]
            let status = try? await server.sendCode(Self.number, proof, headers: Self.bundle).status
            shown.withLock { $0.append(status) }
            return .init(json: [:])
        }
        #expect(try await verify(server).status == 200)
        #expect(shown.withLock(\.self) == [200])
        apns.answer { _ in (410, ["reason": "Unregistered"]) }
        #expect(try await verify(server).errorMessage == "INVALID_APP_CREDENTIAL")
        let refused = try #require(apns.calls.last?.json["com.google.firebase.auth"])
        let proof: JSONValue = ["iosReceipt": refused["receipt"] ?? .null, "iosSecret": refused["secret"] ?? .null]
        let answer = try await server.sendCode(Self.number, proof, headers: Self.bundle)
        #expect(answer.errorMessage == "INVALID_APP_CREDENTIAL")
    }

    @Test(
        "a provider token that Apple refuses is made anew, at most every twenty minutes",
        arguments: ["ExpiredProviderToken", "InvalidProviderToken"]
    )
    func refusedProviderToken(reason: String) async throws {
        let (server, apns) = try await makePush()
        apns.answer { _ in (403, ["reason": .string(reason)]) }
        for minutes in [0, 19, 1, 0, 19, 1, 0] {
            server.clock.advance(by: .seconds(minutes * 60))
            #expect(try await verify(server).errorMessage == "INVALID_APP_CREDENTIAL")
        }
        let tokens = apns.calls.compactMap { $0.headers["authorization"] }
        try #require(tokens.count == 7)
        // Only the refusal after twenty minutes may lead to another token.
        #expect(tokens[0] == tokens[1] && tokens[1] == tokens[2] && tokens[2] != tokens[3])
        #expect(tokens[3] == tokens[4] && tokens[4] == tokens[5] && tokens[5] != tokens[6])
        apns.answer { _ in (403, ["reason": "Forbidden"]) }
        for _ in 0..<2 {
            server.clock.advance(by: .seconds(20 * 60))
            _ = try await verify(server)
        }
        #expect(apns.calls[7].headers["authorization"] == tokens[6])
        #expect(apns.calls[8].headers["authorization"] == tokens[6])
    }

    @Test("a push goes out over TLS, as HTTP/2 by ALPN, to whoever a trusted authority vouches for")
    func pushOverTLS() async throws {
        let directory = try await makeTemporaryDirectory()
        let certificate = try TestCertificate(dnsName: "localhost", in: directory)
        let file = directory + "/AuthKey.p8"
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: file, atomically: true, encoding: .utf8)
        let apns = try await LoopbackService.start(certificate: certificate)
        for isTrusted in [true, false] {
            var variables = [
                "POSTERN_APNS_KEY_ID": "KEY1234567", "POSTERN_APNS_TEAM_ID": "TEAM123456",
                "POSTERN_APNS_PRIVATE_KEY_FILE": file,
                "POSTERN_APNS_BASE_URL": "https://localhost:\(apns.port)",
            ]
            if isTrusted { variables["POSTERN_OUTBOUND_CA_FILE"] = certificate.certificateFile }
            let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject())
            let answer = try await server.client.post(
                "/v1/accounts:verifyIosClient?key=\(TestServer.apiKey)",
                ["appToken": "ABCDEF0123456789"],
                headers: [("X-Ios-Bundle-Identifier", "com.example.app")]
            )
            #expect(answer.errorMessage == (isTrusted ? nil : "INVALID_APP_CREDENTIAL"))
        }
        #expect(apns.calls.count == 1)
        #expect(apns.calls.first?.isHTTP2 == true)
        #expect(apns.calls.first?.path == "/3/device/abcdef0123456789")
    }

    private func check(_ server: TestServer, _ apns: LoopbackService, _ key: P256.Signing.PrivateKey) async throws {
        let bundle = [("X-Ios-Bundle-Identifier", "com.example.app")]
        func verify(_ body: JSONValue, headers: [(String, String)]) async throws -> TestClient.Answer {
            try await server.client.post("/v1/accounts:verifyIosClient?key=\(TestServer.apiKey)", body, headers: headers)
        }
        let device: JSONValue = ["appToken": "ABCDEF0123456789"]
        #expect(try await verify([:], headers: bundle).errorMessage == "MISSING_IOS_APP_TOKEN")
        #expect(try await verify(device, headers: []).errorMessage == "MISSING_CLIENT_IDENTIFIER")
        let nonsense = try await verify(["appToken": "../../x"], headers: bundle)
        #expect(nonsense.errorMessage == "INVALID_APP_CREDENTIAL")
        let foreign = try await verify(device, headers: [("X-Ios-Bundle-Identifier", "a b")])
        #expect(foreign.errorMessage == "INVALID_APP_ID")
        #expect(apns.calls.isEmpty)
        let answer = try await verify(device, headers: bundle)
        #expect(answer.json.object?.keys.sorted() == ["receipt", "suggestedTimeout"])
        #expect(answer["suggestedTimeout"] == "5")
        let push = await apns.call(1)
        #expect(push.path == "/3/device/abcdef0123456789")
        #expect(push.headers["apns-push-type"] == "background")
        #expect(push.headers["apns-priority"] == "5")
        #expect(push.headers["apns-topic"] == "com.example.app")
        #expect(push.json["aps"] == ["content-available": 1])
        let secret = try #require(push.json["com.google.firebase.auth"])
        #expect(secret["receipt"] == answer["receipt"])
        #expect(secret["warning"] == nil)
        try Self.expectProviderToken(push.headers["authorization"], key, at: server.clock.now)

        let proof: JSONValue = ["iosReceipt": secret["receipt"] ?? .null, "iosSecret": secret["secret"] ?? .null]
        for _ in 0..<2 { #expect(try await server.sendCode(Self.number, proof, headers: bundle).status == 200) }
        let other = [("X-Ios-Bundle-Identifier", "com.example.other")]
        for (proof, headers) in [
            (proof, other), (proof.merging(["iosSecret": "guess"]), bundle), (proof.merging(["iosReceipt": "guess"]), bundle),
        ] {
            let refused = try await server.sendCode(Self.number, proof, headers: headers)
            #expect(refused.errorMessage == "INVALID_APP_CREDENTIAL")
        }
        _ = try await verify(device, headers: bundle)
        let (first, second) = (apns.calls[0].headers["authorization"], apns.calls[1].headers["authorization"])
        #expect(first == second)
        server.clock.advance(by: .seconds(50 * 60))
        _ = try await verify(device.merging(["isSandbox": true]), headers: bundle)
        #expect(apns.calls[2].headers["authorization"] != first)
        apns.answer { _ in (400, ["reason": "BadDeviceToken"]) }
        #expect(try await verify(device, headers: bundle).errorMessage == "INVALID_APP_CREDENTIAL")
        server.clock.advance(by: .seconds(86_400 * 7))
        let expired = try await server.sendCode(Self.number, proof, headers: bundle)
        #expect(expired.errorMessage == "INVALID_APP_CREDENTIAL")
        #expect(server.log.lines.allSatisfy { !$0.contains(secret["secret"]?.string ?? "?") })
    }

    private static func expectProviderToken(
        _ header: String?,
        _ key: P256.Signing.PrivateKey,
        at now: Timestamp
    ) throws {
        let header = try #require(header)
        #expect(header.hasPrefix("bearer "))
        let parts = header.dropFirst("bearer ".count).split(separator: ".")
        let bytes = try parts.map { Data(try #require(Base64URL.decode($0.utf8))) }
        #expect(try JSONValue.parse(bytes[0]) == ["alg": "ES256", "kid": "KEY1234567"])
        #expect(try JSONValue.parse(bytes[1]) == ["iss": "TEAM123456", "iat": .integer(now.seconds)])
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes[2])
        #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("without a push key, apps are sent to the page, whose token works once, for ten minutes, in its project")
    func pageToken() async throws {
        let server = try await TestServer.start(environment: Self.logged, project: TestServer.phoneProject())
        let bundle = [("X-Ios-Bundle-Identifier", "com.example.app")]
        let verify = try await server.client.post(
            "/v1/accounts:verifyIosClient?key=\(TestServer.apiKey)",
            ["appToken": "ABCDEF0123456789"],
            headers: bundle
        )
        #expect(verify.errorMessage == "INVALID_APP_CREDENTIAL")
        let proof = try await server.appProof()
        #expect(try await server.sendCode(Self.number, proof, headers: bundle).status == 200)
        #expect(try await server.sendCode(Self.number, proof).errorMessage == "INVALID_APP_CREDENTIAL")
        let late = try await server.appProof()
        server.clock.advance(by: .seconds(600))
        #expect(try await server.sendCode(Self.number, late).errorMessage == "INVALID_APP_CREDENTIAL")
        let elsewhere = try await server.core.useCases.flows.appVerificationTokens.issue(
            context: .init(scope: Scope(projectID: "another"))
        )
        let foreign = try await server.sendCode(Self.number, ["recaptchaToken": .string(elsewhere)])
        #expect(foreign.errorMessage == "INVALID_APP_CREDENTIAL")
    }
}
