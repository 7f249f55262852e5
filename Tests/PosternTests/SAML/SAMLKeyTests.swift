import Accounts
import Federation
import Foundation
import Project
import SAML
import SAMLTestKit
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("This server's keys as a SAML service provider", .teardown, .timeLimit(.minutes(15)))
struct SAMLKeyTests {
    private let signed = "/inboundSamlConfigs/saml.test?updateMask=idpConfig.signRequest"

    private func certificates(_ stage: SAMLStage) async throws -> [String] {
        let config = try await stage.server.admin("GET", "/inboundSamlConfigs/saml.test")
        return (config["spConfig"]?["spCertificates"]?.array ?? []).compactMap { $0["x509Certificate"]?.string }
    }

    @Test("sign requests, rotate with overlap, and decrypt after that", arguments: Engine.allCases)
    func rotation(engine: Engine) async throws {
        let stage = try await SAMLStage.start(on: engine)
        #expect(try await certificates(stage).isEmpty)
        #expect(try await stage.server.admin("PATCH", signed, ["idpConfig": ["signRequest": true]]).status == 200)
        let first = try await certificates(stage)
        #expect(first.count == 2)
        let flow = try await stage.server.begin("saml.test")
        #expect(try SAMLTestRequest(redirect: flow.authURI, certificate: first[0]).isSigned)
        let keys = stage.server.core.useCases.operators.serviceKeys
        let context = CallContext.commandLine(projectID: "demo-test", tenant: nil)
        _ = try await keys.rotate(context: context)
        let second = try await certificates(stage)
        #expect(second.count == 2 && second[0] == first[1] && !first.contains(second[1]))
        let next = try await stage.server.begin("saml.test")
        #expect(try SAMLTestRequest(redirect: next.authURI, certificate: first[1]).isSigned)
        #expect(throws: (any Error).self) { try SAMLTestRequest(redirect: next.authURI, certificate: first[0]) }
        // A provider that still encrypts for the old key is understood, until that key is revoked.
        for isRevoked in [false, true] {
            if isRevoked {
                let old = try #require(try await keys.stored().first { $0.certificate == first[0] })
                _ = try await keys.revoke(old.record.kid, context: context)
            }
            let visit = try await stage.begin()
            let form = try stage.form(visit) { $0.encryption = SAMLTestEncryption(certificate: first[0]) }
            let answer = try await stage.complete(form, visit)
            #expect((answer.status == 200) == !isRevoked, "\(answer.errorMessage ?? "")")
        }
        await #expect(throws: ServiceProviderKeys.UnknownKey.self) { try await keys.revoke("none", context: context) }
        // The private keys rest sealed.
        #expect(try await !stage.server.storedText().contains("PRIVATE KEY"))
    }

    @Test("sign on the threads that verify responses and nowhere else", arguments: ["HTTP_REDIRECT", "HTTP_POST"])
    func threads(binding: String) async throws {
        let stage = try await SAMLStage.start()
        let mask = "?updateMask=idpConfig.signRequest,idpConfig.ssoBinding"
        let body: JSONValue = ["idpConfig": ["signRequest": true, "ssoBinding": .string(binding)]]
        #expect(try await stage.server.admin("PATCH", "/inboundSamlConfigs/saml.test\(mask)", body).status == 200)
        func begin(_ id: String) async throws -> TestClient.Answer {
            let body: JSONValue = ["providerId": .string(id), "continueUri": .string(FlowServer.redirect)]
            return try await stage.server.call("createAuthUri", body)
        }
        #expect(try await begin("saml.test").status == 200)
        await stage.server.core.assembly.samlVerification.close()
        let refused = try await begin("saml.test")
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : Too many SAML requests") == true)
        #expect(refused.header("Retry-After") == "1")
        // Whoever signs nothing needs no thread.
        #expect(try await begin("saml.other").status == 200)
    }

    @Test("are in the metadata, which anybody may read")
    func metadata() async throws {
        let stage = try await SAMLStage.start()
        let path = "/__/auth/saml/saml.test/metadata"
        let answer = try await stage.server.client.get(path)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/samlmetadata+xml")
        let text = String(decoding: answer.bytes, as: UTF8.self)
        #expect(text.contains("entityID=\"\(SAMLStage.entityID)\"") && text.contains(FlowServer.redirect))
        #expect(!text.contains("PRIVATE"))
        // Many readers at once make one pair of keys.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await stage.server.client.get(path) } }
            try await group.waitForAll()
        }
        #expect(try await stage.server.core.useCases.operators.serviceKeys.stored().count == 2)
        #expect(try await stage.server.client.get(path + "?tid=acme").status == 200)
        for missing in [
            "/__/auth/saml/saml.none/metadata", "/__/auth/saml/saml.empty/metadata", "/__/auth/saml/oidc.test/metadata",
            "/__/auth/saml/saml.other/metadata?tid=acme",
        ] {
            #expect(try await stage.server.client.get(missing).status == 404, "\(missing)")
        }
    }
}
