import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Signatures that are refused") struct SignatureTests {
    private static let dsig = "http://www.w3.org/2000/09/xmldsig#"
    private static let more = "http://www.w3.org/2001/04/xmldsig-more#"

    @Test("a foreign key, which the document names itself") func foreignKey() async throws {
        var scene = try Scene()
        scene.provider.key = try Scene.otherKey.get()
        #expect(try await scene.refusal { _ in } == .signature)
    }

    @Test("a foreign key under the name of the configured certificate") func foreignKeyUnderOurName() async throws {
        var scene = try Scene()
        let honest = scene.provider.key.certificateText
        scene.provider.key = try SAMLTestKey(name: "idp.example")
        #expect(try await scene.refusal { $0.signature.namedCertificate = honest } == .signature)
        #expect(try await scene.refusal { $0.signature.hasKeyInfo = false } == .signature)
    }

    @Test("a foreign key of another kind") func otherKind() async throws {
        var scene = try Scene()
        scene.provider.key = try Scene.ellipticKey.get()
        #expect(try await scene.refusal { _ in } == .signature)
    }

    @Test(
        "algorithms",
        arguments: [
            "hmac-sha256", "rsa-md5", "rsa-ripemd160", "ecdsa-sha224", "rsa-sha224", "rsa-sha256 ", "",
        ]
    ) func algorithm(_ name: String) async throws {
        let refusal = try await Scene().refusal { $0.signature.algorithm = Self.more + name }
        #expect(refusal == .signatureAlgorithm)
    }

    @Test("HMAC with the certificate for a secret", arguments: [more + "hmac-sha256", dsig + "hmac-sha1", more + "hmac-sha512"])
    func hmac(_ algorithm: String) async throws {
        #expect(try await Scene().refusal { $0.signature.algorithm = algorithm } == .signatureAlgorithm)
        // The shortened form, of which zero bits would have to agree.
        let short = try await Scene().refusal { response in
            response.signature.algorithm = algorithm
            response.signature.signedInfo = {
                $0["ds:SignatureMethod"]?.nodes.append(.element(SAMLTestElement("ds:HMACOutputLength", text: "0")))
            }
        }
        #expect(short == .signatureAlgorithm)
    }

    @Test("digests", arguments: ["http://www.w3.org/2001/04/xmldsig-more#md5", "http://www.w3.org/2001/04/xmlenc#ripemd160", ""])
    func digest(_ algorithm: String) async throws {
        #expect(try await Scene().refusal { $0.signature.digestAlgorithm = algorithm } == .digestAlgorithm)
    }

    @Test(
        "other canonicalizations of the signature",
        arguments: [
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2006/12/xml-c14n11",
            "http://www.w3.org/2001/10/xml-exc-c14n#WithComments", "http://www.w3.org/TR/1999/REC-xslt-19991116", "",
        ]
    ) func canonicalization(_ algorithm: String) async throws {
        #expect(try await Scene().refusal { $0.signature.canonicalization = algorithm } == .canonicalization)
    }

    @Test(
        "other transforms",
        arguments: [
            [SAMLTestSignature.enveloped], [SAMLTestSignature.exclusive],
            [SAMLTestSignature.exclusive, SAMLTestSignature.enveloped], [],
            [SAMLTestSignature.enveloped, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"],
            [SAMLTestSignature.enveloped, SAMLTestSignature.exclusive, "http://www.w3.org/TR/1999/REC-xpath-19991116"],
            ["http://www.w3.org/TR/1999/REC-xslt-19991116", SAMLTestSignature.exclusive],
            ["http://www.w3.org/2000/09/xmldsig#base64", SAMLTestSignature.exclusive],
            [SAMLTestSignature.enveloped, SAMLTestSignature.exclusive, SAMLTestSignature.exclusive],
        ]
    ) func transforms(_ transforms: [String]) async throws {
        #expect(try await Scene().refusal { $0.signature.transforms = transforms } == .transforms)
    }

    @Test(
        "references that are not the signed element's own ID",
        arguments: [
            "", "#", "#_other", "_other", "#xpointer(/)", "#xpointer(id('x'))", "https://other.example/assertion.xml",
            "file:///etc/passwd", "#_Other",
        ]
    ) func reference(_ uri: String) async throws {
        #expect(try await Scene().refusal { $0.signature.uri = uri } == .reference)
    }

    @Test("a reference with the right ID and more around it") func referenceWithMore() async throws {
        let scene = try Scene()
        let id = try #require(scene.answer.assertion?.id)
        for uri in ["#\(id) ", " #\(id)", "x#\(id)", "#xpointer(id('\(id)'))", "##\(id)"] {
            let refusal = try await scene.refusal {
                $0.assertion?.id = id
                $0.signature.uri = uri
            }
            #expect(refusal == .reference)
        }
    }

    /// A change to `SignedInfo` or the signature that no honest provider makes.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: SAMLRefusal
        let change: @Sendable (inout SAMLTestElement) -> Void

        init(_ name: String, _ refusal: SAMLRefusal, _ change: @escaping @Sendable (inout SAMLTestElement) -> Void) {
            testDescription = name
            self.refusal = refusal
            self.change = change
        }
    }

    @Test(
        "other forms of SignedInfo",
        arguments: [
            Form("a second reference", .signatureForm) { info in info.nodes += info["ds:Reference"].map { [.element($0)] } ?? []
            },
            Form("no reference", .signatureForm) { $0["ds:Reference"] = nil },
            Form("no canonicalization", .signatureForm) { $0["ds:CanonicalizationMethod"] = nil },
            Form("parameters of the canonicalization", .canonicalization) {
                $0["ds:CanonicalizationMethod"]?.nodes.append(.element(SAMLTestElement("ds:XPath", text: "/")))
            },
            Form("no transforms", .signatureForm) { $0["ds:Reference"]?["ds:Transforms"] = nil },
            Form("an XPath in the transform", .transforms) {
                $0["ds:Reference"]?["ds:Transforms"]?["ds:Transform"]?.nodes.append(
                    .element(SAMLTestElement("ds:XPath", text: "/"))
                )
            },
            Form("no URI", .reference) { $0["ds:Reference"]?[attribute: "URI"] = nil },
            Form("an element in the digest", .signatureForm) {
                $0["ds:Reference"]?["ds:DigestValue"]?.nodes.append(.element(SAMLTestElement("ds:b")))
            },
            Form("parameters of the digest", .digestAlgorithm) {
                $0["ds:Reference"]?["ds:DigestMethod"]?.nodes.append(.element(SAMLTestElement("ds:b")))
            },
        ]
    ) func signedInfo(_ form: Form) async throws {
        #expect(try await Scene().refusal { $0.signature.signedInfo = form.change } == form.refusal)
    }

    @Test(
        "an object, a manifest or other elements in the signature",
        arguments: ["ds:Object", "ds:Manifest", "ds:KeyInfo", "saml:Advice"]
    )
    func surplus(_ name: String) async throws {
        let scene = try Scene()
        var whole = try scene.answer.element(by: scene.provider.key)
        whole["saml:Assertion"]?["ds:Signature"]?.nodes.append(.element(SAMLTestElement(name)))
        #expect(try await scene.refusal(of: whole.canonical) == .signatureForm)
    }

    @Test("a signature or digest that is empty or no Base64", arguments: ["", "AAAA", "%%%", "=", " "]) func values(
        _ text: String
    ) async throws {
        let scene = try Scene()
        var whole = try scene.answer.element(by: scene.provider.key)
        whole["saml:Assertion"]?["ds:Signature"]?["ds:SignatureValue"]?.nodes = [.text(text)]
        #expect(try await scene.refusal(of: whole.canonical) == .signature)
        let digest = try await scene.refusal { response in
            response.signature.signedInfo = { $0["ds:Reference"]?["ds:DigestValue"]?.nodes = [.text(text)] }
        }
        #expect(digest == .signature)
    }

    @Test("the digest of nothing, which a failed canonicalization would have") func emptyDigest() async throws {
        #expect(try await Scene().refusal { $0.signature.digested = { _ in "" } } == .signature)
    }

    @Test("certificates that are none, or whose keys are too weak or of another kind") func certificates() async throws {
        var scene = try Scene()
        let response = try scene.response()
        for certificates in [
            [], [""], ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"], [scene.provider.key.privateKey],
        ] {
            scene.expectation.certificates = certificates
            #expect(try await scene.refusal(of: response) == .certificates)
        }
    }
}
