import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Responses that are accepted") struct AcceptedResponseTests {
    @Test("the assertion, the response or both may be signed", arguments: [SAMLTestResponse.Signed.assertion, .response, .both])
    func signed(_ signed: SAMLTestResponse.Signed) async throws {
        let scene = try Scene()
        let assertion = try await scene.accept(scene.response { $0.signed = signed })
        #expect(assertion.nameID == Scene.nameID)
        #expect(assertion.nameIDFormat == "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress")
        #expect(assertion.issuer == scene.provider.entityID)
        #expect(assertion.sessionIndex == "session-1")
        #expect(assertion.authnInstant == Scene.now)
        #expect(assertion.notOnOrAfter == Scene.now.advanced(by: .seconds(360)))
        #expect(assertion.values("email") == ["ada@example.com"])
        #expect(assertion.values("groups") == ["readers", "writers"])
        #expect(assertion.values("Email").isEmpty)
    }

    @Test(
        "RSA and ECDSA with SHA-256 and stronger",
        arguments: ["rsa-sha256", "rsa-sha384", "rsa-sha512", "ecdsa-sha256"],
        [
            "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
            "http://www.w3.org/2001/04/xmlenc#sha512",
        ]
    ) func algorithms(_ algorithm: String, _ digest: String) async throws {
        var scene = try Scene()
        if algorithm.hasPrefix("ecdsa") { scene.provider.key = try Scene.ellipticKey.get() }
        scene.expectation.certificates = [scene.provider.certificate]
        let response = try scene.response {
            $0.signature.algorithm = "http://www.w3.org/2001/04/xmldsig-more#\(algorithm)"
            $0.signature.digestAlgorithm = digest
        }
        #expect(try await scene.accept(response).nameID == Scene.nameID)
    }

    @Test("SHA-1 where the provider's configuration allows it, and nowhere else") func sha1() async throws {
        var scene = try Scene()
        let whole = try scene.response {
            $0.signature.algorithm = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
            $0.signature.digestAlgorithm = "http://www.w3.org/2000/09/xmldsig#sha1"
        }
        let digestOnly = try scene.response { $0.signature.digestAlgorithm = "http://www.w3.org/2000/09/xmldsig#sha1" }
        #expect(try await scene.refusal(of: whole) == .sha1)
        #expect(try await scene.refusal(of: digestOnly) == .sha1)
        scene.expectation.acceptsSHA1 = true
        #expect(try await scene.refusal(of: whole) == nil)
        #expect(try await scene.refusal(of: digestOnly) == nil)
    }

    @Test("the second certificate counts while a provider changes its key") func rotation() async throws {
        var scene = try Scene()
        let response = try scene.response()
        let other = try Scene.otherKey.get()
        scene.expectation.certificates = [other.certificate, scene.provider.certificate]
        #expect(try await scene.refusal(of: response) == nil)
        scene.expectation.certificates = [other.certificate]
        #expect(try await scene.refusal(of: response) == .signature)
    }

    @Test("a certificate that has expired still holds the provider's key") func expiredCertificate() async throws {
        var scene = try Scene()
        scene.provider.key = try SAMLTestKey(validFor: -3600)
        scene.expectation.certificates = [scene.provider.certificate]
        #expect(try await scene.refusal(of: scene.response()) == nil)
    }

    @Test("white space around names, as documents that are indented have it") func indented() async throws {
        let scene = try Scene()
        let response = try scene.response {
            $0.assertion?.nameID = "\n  \(Scene.nameID)\n"
            $0.assertion?.issuer = "\n\(scene.provider.entityID)\n"
            $0.assertion?.audiences = [["\n\(scene.request.issuer) "]]
        }
        #expect(try await scene.accept(response).nameID == Scene.nameID)
    }

    @Test("attributes: repeated names, values that are empty, absent or a name, and texts that need escaping") func attributes()
        async throws
    {
        let scene = try Scene()
        let response = try scene.response {
            $0.assertion?.attributes = [("a", ["1", "<&>\"'"]), ("b", [""]), ("a", ["2"]), ("é", ["x"]), ("e\u{301}", ["y"])]
            $0.assertion?.change = { assertion in
                let name = SAMLTestElement("saml:NameID", text: "pairwise")
                var statement = assertion["saml:AttributeStatement"]
                statement?.nodes += [
                    .element(
                        SAMLTestElement(
                            "saml:Attribute",
                            [("Name", "c")],
                            elements: [
                                SAMLTestElement("saml:AttributeValue", elements: [name]),
                                SAMLTestElement("saml:AttributeValue", [("xsi:nil", "true")]),
                                SAMLTestElement("saml:AttributeValue", [("xsi:type", "xs:string")], text: "typed"),
                                SAMLTestElement("saml:AttributeValue", elements: [SAMLTestElement("xs:other", text: "no text")]),
                            ]
                        )
                    )
                ]
                assertion["saml:AttributeStatement"] = statement
            }
        }
        let assertion = try await scene.accept(response)
        #expect(assertion.attributes.map(\.name.utf8.count) == [1, 1, 2, 3, 1])
        #expect(assertion.attributes[0].values == ["1", "<&>\"'", "2"])
        #expect(assertion.attributes[1].values == [""])
        #expect(assertion.attributes[4].values == ["pairwise", "typed"])
    }

    @Test("a signature that covers declarations of the response's namespaces") func inclusiveNamespaces() async throws {
        let scene = try Scene()
        var answer = scene.answer
        answer.assertion?.attributes = []
        let assertion = try #require(answer.assertion?.element)
        // The declaration stands on the response; exclusive canonicalization with a list brings it to the assertion.
        var signature = SAMLTestSignature()
        signature.digested = { text in
            text.replacing("<saml:Assertion ", with: "<saml:Assertion ", maxReplacements: 1)
                .replacing(
                    "xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID",
                    with:
                        "xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" ID",
                    maxReplacements: 1
                )
        }
        signature.signedInfo = { info in
            let list = SAMLTestElement("ec:InclusiveNamespaces", [("PrefixList", "xs")])
            var reference = info["ds:Reference"]
            var transforms = reference?["ds:Transforms"]
            transforms?.nodes[1] = .element(
                SAMLTestElement("ds:Transform", [("Algorithm", SAMLTestSignature.exclusive)], elements: [list])
            )
            reference?["ds:Transforms"] = transforms
            info["ds:Reference"] = reference
        }
        answer.change = { $0.attributes.append(("xmlns:xs", "http://www.w3.org/2001/XMLSchema")) }
        let whole = answer.element(around: try signature.sign(assertion, by: scene.provider.key))
        #expect(try await scene.accept(whole.canonical).nameID == Scene.nameID)
        // The response's own signature does not bring the declaration along.
        answer.change = nil
        var bare = whole
        bare.attributes.removeAll { $0.name == "xmlns:xs" }
        let signed = try SAMLTestSignature().element(over: bare, by: scene.provider.key)
        var both = whole
        both.nodes.insert(.element(signed), at: 1)
        #expect(try await scene.accept(both.canonical).nameID == Scene.nameID)
    }

    @Test("ids that Unicode calls equivalent are different ids") func equivalentIDs() async throws {
        let scene = try Scene()
        let parts = "<a Id=\"\u{E9}\"/><a Id=\"e\u{301}\"/>"
        let response = try scene.response().replacing("</samlp:Response>", with: "\(parts)</samlp:Response>")
        #expect(try await scene.refusal(of: response) == nil)
        let twice = response.replacing("<a Id=\"e\u{301}\"/>", with: "<a Id=\"\u{E9}\"/>")
        #expect(try await scene.refusal(of: twice) == .duplicateID)
    }

    @Test("a sign-in that was to be made anew") func authenticatedSince() async throws {
        var scene = try Scene()
        let response = try scene.response { $0.assertion?.authnInstant = Scene.time(-100) }
        scene.expectation.authenticatedSince = Scene.now - .seconds(40)
        #expect(try await scene.refusal(of: response) == nil)
        scene.expectation.authenticatedSince = Scene.now - .seconds(39)
        #expect(try await scene.refusal(of: response) == .authenticatedBefore)
        scene.expectation.authenticatedSince = nil
        #expect(try await scene.refusal(of: response) == nil)
    }

    @Test("the earliest end is remembered for the guard against replay") func end() async throws {
        let scene = try Scene()
        let session = try await scene.accept(scene.response { $0.assertion?.sessionNotOnOrAfter = Scene.time(100) })
        #expect(session.notOnOrAfter == Scene.now.advanced(by: .seconds(160)))
        let conditions = try await scene.accept(scene.response { $0.assertion?.notOnOrAfter = Scene.time(10) })
        #expect(conditions.notOnOrAfter == Scene.now.advanced(by: .seconds(70)))
        let endless = try await scene.accept(
            scene.response {
                $0.assertion?.confirmationNotOnOrAfter = "9999-12-31T23:59:59Z"
                $0.assertion?.notOnOrAfter = nil
            }
        )
        #expect(endless.notOnOrAfter == Scene.now.advanced(by: .seconds(86_400)))
    }
}
