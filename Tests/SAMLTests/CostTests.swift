import Foundation
import Project
import SAML
import SAMLTestKit
import Testing

/// Small documents that would make canonicalization slow or its result large. Nobody has signed them, so they must be refused cheaply.
@Suite("Documents that cost much") struct CostTests {
    private static let limit = Duration.seconds(5)

    /// What a document costs on a thread of its own. Other work of the machine does not count.
    private static func cost(of xml: String, _ scene: Scene) async throws -> (refusal: SAMLRefusal?, time: Duration) {
        let verifier = SAMLVerifier(threads: 1, waiting: 1, patience: .seconds(600))
        let before = try await verifier.run(processorTime)
        var refusal: SAMLRefusal?
        do {
            _ = try await verifier.assertion(in: Array(xml.utf8), expecting: scene.expectation)
        } catch let error as SAMLRefusal { refusal = error }
        let time = try await verifier.run(processorTime) - before
        await verifier.shutdown()
        return (refusal, time)
    }

    @Sendable private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    // Puts a list of prefixes into the transform of the reference, or into the canonicalization of the signature.
    private static func putList(_ attributes: [(name: String, value: String?)], inTransform: Bool, of info: inout SAMLTestElement)
    {
        let list = SAMLTestElement("ec:InclusiveNamespaces", attributes)
        if inTransform {
            let transform = SAMLTestElement("ds:Transform", [("Algorithm", SAMLTestSignature.exclusive)], elements: [list])
            info["ds:Reference"]?["ds:Transforms"]?.nodes[1] = .element(transform)
        } else {
            info["ds:CanonicalizationMethod"]?.nodes.append(.element(list))
        }
    }

    private func refusal(
        withList attributes: [(name: String, value: String?)],
        inTransform: Bool
    ) async throws -> SAMLRefusal? {
        try await Scene().refusal {
            $0.signature.signedInfo = { Self.putList(attributes, inTransform: inTransform, of: &$0) }
        }
    }

    @Test("a list of prefixes has at most 16 names and 256 bytes", arguments: [true, false])
    func prefixList(inTransform: Bool) async throws {
        func list(_ text: String) async throws -> SAMLRefusal? {
            try await refusal(withList: [("PrefixList", text)], inTransform: inTransform)
        }
        #expect(try await list((0..<16).map { "n\($0)" }.joined(separator: " ")) == nil)
        #expect(try await list((0..<17).map { "n\($0)" }.joined(separator: " ")) == .signatureForm)
        #expect(try await list(String(repeating: " ", count: 16)) == .signatureForm)
        #expect(try await list(String(repeating: "n", count: 256)) == nil)
        #expect(try await list(String(repeating: "n", count: 257)) == .signatureForm)
        #expect(try await list((0..<5000).map { "n\($0)" }.joined(separator: " ")) == .signatureForm)
    }

    @Test("a list of prefixes under a name in a namespace, which the library reads like the other", arguments: [true, false])
    func disguisedPrefixList(inTransform: Bool) async throws {
        let long = (0..<5000).map { "n\($0)" }.joined(separator: " ")
        for prefix in ["xs", "ec", "xml"] {
            let alone = [(name: "\(prefix):PrefixList", value: Optional(long))]
            #expect(try await refusal(withList: alone, inTransform: inTransform) == .signatureForm)
            let both = alone + [("PrefixList", "xs")]
            #expect(try await refusal(withList: both, inTransform: inTransform) == .signatureForm)
        }
    }

    @Test(
        "attributes of a signature that are in a namespace or belong to other elements",
        arguments: ["xs:Algorithm", "xs:URI", "xml:Algorithm", "xml:id", "xml:base", "PrefixList", "Recipient"]
    ) func attributes(_ name: String) async throws {
        let changes: [@Sendable (inout SAMLTestElement) -> Void] = [
            { $0.attributes.append((name, "x")) },
            { $0["ds:CanonicalizationMethod"]?.attributes.append((name, "x")) },
            { $0["ds:SignatureMethod"]?.attributes.append((name, "x")) },
            { $0["ds:Reference"]?.attributes.append((name, "x")) },
            { $0["ds:Reference"]?["ds:Transforms"]?.attributes.append((name, "x")) },
            { $0["ds:Reference"]?["ds:Transforms"]?["ds:Transform"]?.attributes.append((name, "x")) },
            { $0["ds:Reference"]?["ds:DigestMethod"]?.attributes.append((name, "x")) },
            { $0["ds:Reference"]?["ds:DigestValue"]?.attributes.append((name, "x")) },
        ]
        for change in changes {
            #expect(try await Scene().refusal { $0.signature.signedInfo = change } == .signatureForm)
        }
    }

    @Test("attributes in a namespace on an encrypted part", arguments: ["xs:Algorithm", "xml:id", "xs:Type"])
    func encrypted(_ name: String) async throws {
        var scene = try Scene()
        let service = try Scene.serviceKey.get()
        scene.expectation.decryptionKeys = [service.privateKey]
        let assertion = try #require(scene.answer.element(by: scene.provider.key)["saml:Assertion"])
        let good = try SAMLTestEncryption(certificate: service.certificate).encrypt(assertion.canonical)
        let changes: [(inout SAMLTestElement) -> Void] = [
            { $0.attributes.append((name, "x")) },
            { $0["xenc:EncryptionMethod"]?.attributes.append((name, "x")) },
            { $0["ds:KeyInfo"]?["xenc:EncryptedKey"]?.attributes.append((name, "x")) },
            { $0["ds:KeyInfo"]?["xenc:EncryptedKey"]?["xenc:EncryptionMethod"]?.attributes.append((name, "x")) },
        ]
        for change in changes {
            var changed = good
            var data = try #require(good["xenc:EncryptedData"])
            change(&data)
            changed["xenc:EncryptedData"] = data
            #expect(try await scene.refusal(of: scene.answer.element(around: changed).canonical) == .encryptionForm)
        }
    }

    @Test("namespaces in scope, and the length of their names") func namespaces() async throws {
        let scene = try Scene()
        let response = try scene.response()
        func refusal(_ declarations: String, _ parts: String = "") async throws -> SAMLRefusal? {
            let changed = response.replacing("<samlp:Response ", with: "<samlp:Response \(declarations) ")
                .replacing("</samlp:Response>", with: "\(parts)</samlp:Response>")
            return try await scene.refusal(of: changed)
        }
        #expect(try await refusal("xmlns:n=\"urn:\(String(repeating: "u", count: 252))\"") == nil)
        #expect(try await refusal("xmlns:n=\"urn:\(String(repeating: "u", count: 253))\"") == .namespaces)
        #expect(try await refusal("xmlns=\"urn:\(String(repeating: "u", count: 253))\"") == .namespaces)
        #expect(try await refusal("xmlns:\(String(repeating: "n", count: 64))=\"urn:n\"") == nil)
        #expect(try await refusal("xmlns:\(String(repeating: "n", count: 65))=\"urn:n\"") == .namespaces)
        let thirty = (0..<30).map { "xmlns:n\($0)=\"urn:n\($0)\"" }.joined(separator: " ")
        // Beside each other they are never in scope together.
        #expect(try await refusal(thirty, String(repeating: "<n1:a \(thirty)/>", count: 40)) == nil)
        #expect(try await refusal(thirty, "<n1:a \(thirty)><n1:b \(thirty)/></n1:a>") == .namespaces)
    }

    @Test("names times elements times declarations are refused at once") func lookups() async throws {
        let scene = try Scene()
        let nested = (0..<30).map { level in "<b" + (0..<30).map { " xmlns:n\(level)_\($0)=\"urn:u\"" }.joined() + ">" }.joined()
        let parts = nested + String(repeating: "<b/>", count: 3000) + String(repeating: "</b>", count: 30)
        let list = String(repeating: "z ", count: 3000)
        let response = try scene.response {
            $0.signed = .response
            $0.signature.signedInfo = { Self.putList([("PrefixList", list)], inTransform: true, of: &$0) }
        }
        let hostile = response.replacing("</samlp:Response>", with: parts + "</samlp:Response>")
        let (refusal, time) = try await Self.cost(of: hostile, scene)
        #expect(refusal == .namespaces && time < Self.limit)
    }

    @Test("a canonical form that is many times as long as the document ends at the bound of documents") func length() async throws
    {
        var scene = try Scene()
        let other = try Scene.otherKey.get().certificate
        scene.expectation.certificates = Array(repeating: other, count: 9) + [scene.provider.certificate]
        let declarations = (0..<40).map { "xmlns:n\($0)=\"urn:\($0):\(String(repeating: "u", count: 240))\"" }.joined(
            separator: " "
        )
        let list = (0..<16).map { "z\($0)" }.joined(separator: " ")
        let response = try scene.response {
            $0.signed = .response
            $0.signature.signedInfo = { Self.putList([("PrefixList", list)], inTransform: true, of: &$0) }
        }
        let element = "<b " + (0..<40).map { "n\($0):a=\"\"" }.joined(separator: " ") + "/>"
        for parts in [String(repeating: "<n1:b/>", count: 19_000), String(repeating: element, count: 450)] {
            let large = response.replacing("<samlp:Response ", with: "<samlp:Response \(declarations) ")
                .replacing("</samlp:Response>", with: "\(parts)</samlp:Response>")
            let (refusal, time) = try await Self.cost(of: large, scene)
            #expect(refusal == .tooLarge && time < Self.limit)
        }
    }

    @Test("what a foreign key has signed is not digested, however many certificates there are")
    func foreignKey() async throws {
        var scene = try Scene()
        scene.expectation.certificates = Array(repeating: scene.provider.certificate, count: 10)
        scene.provider.key = try Scene.otherKey.get()
        let response = try scene.response { $0.signed = .response }
        // Its digest would end at the bound.
        let long = "xmlns:n=\"urn:\(String(repeating: "u", count: 240))\""
        let parts = String(repeating: "<n:b/>", count: 19_000)
        let large = response.replacing("<samlp:Response ", with: "<samlp:Response \(long) ")
            .replacing("</samlp:Response>", with: "\(parts)</samlp:Response>")
        let (refusal, time) = try await Self.cost(of: large, scene)
        #expect(refusal == .signature && time < Self.limit)
    }

    @Test("a list of prefixes with something in it", arguments: [true, false])
    func filledList(inTransform: Bool) async throws {
        let refusal = try await Scene().refusal {
            $0.signature.signedInfo = { info in
                let inner = SAMLTestElement("ec:InclusiveNamespaces", [("PrefixList", "xs")])
                let list = SAMLTestElement("ec:InclusiveNamespaces", [("PrefixList", "xs")], elements: [inner])
                let method = SAMLTestElement("ds:Transform", [("Algorithm", SAMLTestSignature.exclusive)], elements: [list])
                if inTransform {
                    info["ds:Reference"]?["ds:Transforms"]?.nodes[1] = .element(method)
                } else {
                    info["ds:CanonicalizationMethod"]?.nodes.append(.element(list))
                }
            }
        }
        #expect(refusal == (inTransform ? .transforms : .canonicalization))
    }

    @Test("a digest that is wrong under the first of several certificates") func digestOnce() async throws {
        var scene = try Scene()
        let forged = try scene.response().replacing(Scene.nameID, with: "root@example.com")
        let other = try Scene.otherKey.get().certificate
        for certificates in [[other, scene.provider.certificate], [scene.provider.certificate, other], ["", other]] {
            scene.expectation.certificates = certificates
            #expect(try await scene.refusal(of: forged) == .signature)
        }
    }
}
