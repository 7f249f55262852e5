import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@Suite("A SAML provider's metadata", .teardown, .timeLimit(.minutes(15)))
struct SAMLImportTests {
    @Test("configures a provider, and changes one, by its text or its address")
    func imports() async throws {
        let publisher = try await LoopbackService.start()
        let stage = try await SAMLStage.start()
        let server = stage.server
        let document = try stage.provider.metadata(singleSignOn: "https://idp.example/sso")
        let new = try await server.admin("POST", "/inboundSamlConfigs/saml.new/metadata", ["metadata": .string(document)])
        #expect(new.status == 200, "\(new.errorMessage ?? "")")
        #expect(new["enabled"] == false)
        #expect(new["idpConfig"]?["idpEntityId"]?.string == (try stage.provider.entityID))
        #expect(new["idpConfig"]?["ssoUrl"] == "https://idp.example/sso")
        let base = "http://127.0.0.1:\(server.port)/__/auth"
        #expect(new["spConfig"]?["spEntityId"]?.string == "\(base)/saml/saml.new/metadata")
        #expect(new["spConfig"]?["callbackUri"]?.string == "\(base)/handler")
        // The provider has a new key and publishes it.
        let renewed = try SAMLTestProvider(entityID: try stage.provider.entityID)
        let text = renewed.metadata(singleSignOn: "https://idp.example/sso2")
        publisher.reply { _ in .init(body: Array(text.utf8)) }
        let url: JSONValue = ["metadataUrl": .string(publisher.origin + "/metadata")]
        let changed = try await server.admin("POST", "/inboundSamlConfigs/saml.test/metadata", url)
        #expect(changed.status == 200 && changed["enabled"] == true)
        #expect(changed["idpConfig"]?["ssoUrl"] == "https://idp.example/sso2")
        #expect(changed["spConfig"]?["spEntityId"]?.string == SAMLStage.entityID)
        let visit = try await stage.begin()
        _ = try server.session(try await stage.complete(try stage.form(visit, by: renewed), visit))
        let old = try await stage.begin()
        expectRefused(try await stage.complete(try stage.form(old), old))
    }

    @Test("is refused where it is none, cannot be had, or nobody may change configurations")
    func refusals() async throws {
        let publisher = try await LoopbackService.start()
        let stage = try await SAMLStage.start()
        let place = "/inboundSamlConfigs/saml.new/metadata"
        for text in ["", "x", "<a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "{}"] {
            let answer = try await stage.server.admin("POST", place, ["metadata": .string(text)])
            #expect(answer.status == 400, "\(text)")
            #expect(answer.errorMessage?.hasPrefix("INVALID_CONFIG : The metadata cannot be used: ") == true, "\(text)")
        }
        publisher.reply { _ in .init(404, json: [:]) }
        for url in [publisher.origin, "http://127.0.0.1:1/", "https://none.invalid/"] {
            let answer = try await stage.server.admin("POST", place, ["metadataUrl": .string(url)])
            #expect(answer.errorMessage == "INVALID_CONFIG : The metadata could not be fetched.", "\(url)")
        }
        for body: JSONValue in [[:], ["metadata": "x", "metadataUrl": "y"], ["metadataUrl": "file:///etc/passwd"]] {
            #expect(try await stage.server.admin("POST", place, body).status == 400, "\(body.text)")
        }
        #expect(try await stage.server.admin("POST", place, ["metadata": "x"], token: nil).status == 401)
        let other = "/inboundSamlConfigs/oidc.x/metadata"
        #expect(try await stage.server.admin("POST", other, ["metadata": "x"]).status == 400)
        #expect(try await stage.server.admin("GET", "/inboundSamlConfigs/saml.new").status == 404)
    }
}
