import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@Suite("Commands for SAML", .teardown, .timeLimit(.minutes(15)))
struct SAMLCommandTests {
    private static let provider = Result { try SAMLTestProvider(entityID: "https://idp.example.com/metadata") }

    private func metadata(_ provider: SAMLTestProvider) -> String {
        provider.metadata(singleSignOn: "https://idp.example.com/sso")
    }

    private func makePlace() async throws -> CommandPlace {
        let network = ["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true"]
        let place = try await CommandPlace.make(project: "config: {}\n", network)
        try await place.serving { _ in }
        let variables = place.variables.merging(["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]) { $1 }
        return CommandPlace(directory: place.directory, variables: variables)
    }

    @Test("providers import configures a provider by a file, standard input or an address, switched off at first")
    func imports() async throws {
        let provider = try Self.provider.get()
        let publisher = try await LoopbackService.start()
        let place = try await makePlace()
        try place.write(metadata(provider), to: "idp.xml")
        let made = try await place.run(["providers", "import", "saml.corp", "--file", "idp.xml"])
        #expect(made.code == 0 && made.text.hasPrefix("saml.corp is configured and switched off\n"), "\(made.text)")
        // The test's certificates last a day.
        #expect(made.text.contains("warning: idpConfig.idpCertificates[0]: It expires at "), "\(made.text)")
        let shown = try await place.json(["providers", "show", "saml.corp"])
        #expect(shown["idpConfig"]?["idpEntityId"]?.string == provider.entityID)
        #expect(shown["idpConfig"]?["ssoUrl"] == "https://idp.example.com/sso")
        #expect(shown["idpConfig"]?["idpCertificates"]?.array?.count == 1)
        #expect(shown["spConfig"]?["spEntityId"] == "https://auth.example.com/__/auth/saml/saml.corp/metadata")
        #expect(shown["spConfig"]?["callbackUri"] == "https://auth.example.com/__/auth/handler")
        let other = try SAMLTestProvider(entityID: "https://other.example.com")
        let set = ["providers", "set", "saml.corp", "enabled=true", "emailDomains=example.com,example.org"]
        #expect(try await place.json(set)["emailDomains"] == ["example.com", "example.org"])
        // The provider has a new key.
        let renewed = try SAMLTestProvider(entityID: provider.entityID)
        publisher.reply { _ in .init(body: Array(metadata(renewed).utf8)) }
        let again = try await place.json(["providers", "import", "saml.corp", "--url", publisher.origin + "/metadata"])
        #expect(again["enabled"] == true && again["emailDomains"] == ["example.com", "example.org"])
        #expect(again["idpConfig"]?["idpCertificates"] != shown["idpConfig"]?["idpCertificates"])
        let arguments = ["providers", "import", "saml.corp", "--file", "-"]
        let exchanged = try await place.run(arguments, input: metadata(other))
        #expect(exchanged.code == 1 && exchanged.text.contains("of another provider"), "\(exchanged.text)")
        #expect(try await place.run(["providers", "set", "saml.corp", "enabled=false"]).code == 0)
        #expect(try await place.run(arguments, input: metadata(other)).code == 0)
        let now = try await place.json(["providers", "show", "saml.corp"])
        #expect(now["idpConfig"]?["idpEntityId"]?.string == other.entityID)
    }

    @Test("providers import says why a document is not taken")
    func refusedImports() async throws {
        let port = try RefusingPort()
        let place = try await makePlace()
        try place.write("<a/>", to: "a.xml")
        for (arguments, code, reason) in [
            (["--file", "a.xml"], Int32(1), "not SAML 2.0 metadata"), (["--file", "none.xml"], 1, "cannot read none.xml"),
            (["--url", "http://127.0.0.1:\(port.number)/"], 1, "could not be fetched"),
            (["--url", "file:///etc/passwd"], 1, "absolute https URL"), ([], 64, "--url or --file is needed"),
            (["--file", "a.xml", "--url", "https://idp.example.com"], 64, "--url or --file is needed"),
        ] {
            let refused = try await place.run(["providers", "import", "saml.corp"] + arguments)
            #expect(refused.code == code && refused.text.contains(reason), "\(arguments): \(refused.text)")
        }
        let wrong = try await place.run(["providers", "import", "oidc.corp", "--file", "a.xml"])
        #expect(wrong.code == 1 && wrong.text.contains("INVALID_CONFIG_ID"), "\(wrong.text)")
        #expect(try await place.run(["providers", "show", "saml.corp"]).code == 1)
    }

    @Test("providers test reads a SAML configuration and says what to change")
    func test() async throws {
        let provider = try Self.provider.get()
        let place = try await makePlace()
        try place.write(metadata(provider), to: "idp.xml")
        #expect(try await place.run(["providers", "import", "saml.corp", "--file", "idp.xml"]).code == 0)
        let off = try await place.run(["providers", "test", "saml.corp"])
        #expect(off.code == 1, "\(off.text)")
        let weak = ["providers", "set", "saml.corp", "enabled=true", "idpConfig.acceptSha1=true"]
        #expect(try await place.run(weak).code == 0)
        let open = try await place.run(["providers", "test", "saml.corp"])
        #expect(open.code == 2, "\(open.text)")
        for line in [
            "good  flow: saml at https://idp.example.com/sso, with requests that are not signed\n",
            "good  callback: the provider must post to https://auth.example.com/__/auth/handler, for the audience",
            "good  certificate 1: It expires at ", "BAD   NameID: set idpConfig.nameIdFormat or signRequest",
            "good  e-mail: emailDomains is empty", "good  signature: signatures over SHA-1 are accepted",
            "redirect URI to register at the provider: https://auth.example.com/__/auth/handler\n",
        ] { #expect(open.text.contains(line), "\(line): \(open.text)") }
        let set = ["providers", "set", "saml.corp", "idpConfig.signRequest=true", "idpConfig.acceptSha1=false"]
        #expect(try await place.run(set + ["emailDomains=example.com"]).code == 0)
        let closed = try await place.json(["providers", "test", "saml.corp"])
        let findings = closed["findings"]?.array ?? []
        #expect(findings.allSatisfy { $0["good"] == true }, "\(closed.text)")
        #expect(findings.compactMap { $0["subject"]?.string } == ["flow", "callback", "certificate 1"], "\(closed.text)")
        #expect(findings.first?["text"]?.string?.hasSuffix("with signed requests") == true, "\(closed.text)")
        let callback = ["providers", "set", "saml.corp", "spConfig.callbackUri=https://other.example.com/h"]
        #expect(try await place.run(callback).code == 0)
        let elsewhere = try await place.run(["providers", "test", "saml.corp"])
        #expect(elsewhere.code == 2, "\(elsewhere.text)")
        #expect(elsewhere.text.contains("is https://other.example.com/h and not this server's handler"), "\(elsewhere.text)")
    }

    @Test("keys saml lists, rotates and revokes the keys of this server")
    func keys() async throws {
        let place = try await makePlace()
        func keys() async throws -> [(kid: String, state: String)] {
            (try await place.json(["keys", "saml", "list"])["keys"]?.array ?? [])
                .map { ($0["kid"]?.string ?? "", $0["state"]?.string ?? "") }
        }
        #expect(try await keys().isEmpty)
        let rotated = try await place.json(["keys", "saml", "rotate"])
        let kid = try #require(rotated["kid"]?.string)
        let first = try await keys()
        #expect(first.contains { $0.kid == kid && $0.state == "signing" })
        #expect(first.count { $0.state == "next" } == 1)
        let text = try await place.run(["keys", "saml", "list"])
        #expect(text.code == 0 && text.text.contains("\(kid)  signing\n"), "\(text.text)")
        #expect(!text.text.contains("PRIVATE KEY"))
        let successor = try #require(first.first { $0.state == "next" }?.kid)
        #expect(try await place.run(["keys", "saml", "rotate"]).text == "\(successor) signs now\n")
        let second = try await keys()
        #expect(second.contains { $0.kid == kid && $0.state == "decrypting" })
        let revoked = try await place.run(["keys", "saml", "revoke", kid])
        #expect(revoked.text == "\(kid) is revoked; \(successor) signs now\n", "\(revoked.text)")
        #expect(try await !keys().contains { $0.kid == kid })
        let unknown = try await place.run(["keys", "saml", "revoke", kid])
        #expect(unknown.code == 1 && unknown.text.contains("there is no key \(kid)"), "\(unknown.text)")
        // Whoever got hold of the key that signs is shut out at once.
        let emergency = try await place.json(["keys", "saml", "revoke", successor])
        #expect(emergency["kid"]?.string != successor)
        #expect(try await keys().count { $0.state == "signing" } == 1)
    }
}
