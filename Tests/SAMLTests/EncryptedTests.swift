import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Encrypted assertions") struct EncryptedTests {
    private func scene() throws -> (Scene, SAMLTestEncryption) {
        var scene = try Scene()
        let key = try Scene.serviceKey.get()
        scene.expectation.decryptionKeys = [key.privateKey]
        return (scene, SAMLTestEncryption(certificate: key.certificate))
    }

    @Test(
        "AES-GCM with RSA-OAEP, whichever part is signed",
        arguments: [SAMLTestResponse.Signed.assertion, .response, .both],
        [16, 24, 32]
    )
    func accepted(_ signed: SAMLTestResponse.Signed, _ size: Int) async throws {
        var (scene, encryption) = try scene()
        encryption.contentAlgorithm = "http://www.w3.org/2009/xmlenc11#aes\(size * 8)-gcm"
        encryption.keySize = size
        let response = try scene.response {
            $0.signed = signed
            $0.encryption = encryption
        }
        #expect(!response.contains(Scene.nameID))
        let assertion = try await scene.accept(response)
        #expect(assertion.nameID == Scene.nameID)
        #expect(assertion.values("groups") == ["readers", "writers"])
        scene.expectation.decryptionKeys = []
        #expect(try await scene.refusal(of: response) == .unexpectedEncryption)
    }

    @Test("the encrypted key beside the data") func keyBeside() async throws {
        var (scene, encryption) = try scene()
        encryption.hasKeyBeside = true
        #expect(try await scene.refusal { $0.encryption = encryption } == nil)
    }

    @Test("the key that a rotation has replaced still opens") func rotation() async throws {
        var (scene, encryption) = try scene()
        let response = try scene.response { $0.encryption = encryption }
        let other = try Scene.otherKey.get().privateKey
        scene.expectation.decryptionKeys = [other] + scene.expectation.decryptionKeys
        #expect(try await scene.refusal(of: response) == nil)
        scene.expectation.decryptionKeys = [other]
        #expect(try await scene.refusal(of: response) == .decryption)
        scene.expectation.decryptionKeys = ["no key"]
        #expect(try await scene.refusal(of: response) == .decryption)
        _ = encryption
    }

    @Test("an unsigned assertion that anybody could have encrypted") func unsigned() async throws {
        let (scene, encryption) = try scene()
        let refusal = try await scene.refusal {
            $0.signed = .nothing
            $0.encryption = encryption
        }
        #expect(refusal == .unsigned)
    }

    @Test("a foreign signature inside") func foreign() async throws {
        var (scene, encryption) = try scene()
        scene.provider.key = try Scene.otherKey.get()
        #expect(try await scene.refusal { $0.encryption = encryption } == .signature)
    }

    @Test(
        "CBC, which an attacker can decrypt by asking",
        arguments: [
            "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
            "http://www.w3.org/2001/04/xmlenc#tripledes-cbc", "",
        ]
    ) func cbc(_ algorithm: String) async throws {
        var (scene, encryption) = try scene()
        encryption.contentAlgorithm = algorithm
        let ready = encryption
        #expect(try await scene.refusal { $0.encryption = ready } == .contentEncryption)
        scene.expectation.decryptionKeys += scene.expectation.decryptionKeys
        #expect(try await scene.refusal { $0.encryption = ready } == .contentEncryption)
    }

    @Test(
        "RSA 1.5 and other transports of the key",
        arguments: [
            "http://www.w3.org/2001/04/xmlenc#rsa-1_5", "http://www.w3.org/2009/xmlenc11#rsa-oaep",
            "http://www.w3.org/2001/04/xmlenc#kw-aes256", "",
        ]
    ) func transports(_ algorithm: String) async throws {
        var (scene, encryption) = try scene()
        encryption.keyAlgorithm = algorithm
        let ready = encryption
        #expect(try await scene.refusal { $0.encryption = ready } == .keyEncryption)
    }

    @Test("cipher texts that were changed, cut or emptied") func changed() async throws {
        let (scene, encryption) = try scene()
        let changes: [@Sendable (inout [UInt8]) -> Void] = [
            { $0[0] ^= 1 }, { $0[20] ^= 1 }, { $0[$0.count - 1] ^= 1 }, { $0.removeLast() }, { $0.removeFirst(4) }, { $0 = [] },
            { $0 = Array($0.prefix(12)) }, { $0 = Array($0.prefix(28)) }, { $0 = Array($0.prefix(27)) },
            { $0 = Array($0.prefix(1)) },
            { $0.append(0) },
        ]
        for change in changes {
            var encryption = encryption
            encryption.change = change
            let ready = encryption
            #expect(try await scene.refusal { $0.encryption = ready } == .decryption)
        }
    }

    @Test("keys of the content that are of another length than the algorithm's") func wrongLength() async throws {
        var (scene, encryption) = try scene()
        encryption.keySize = 16
        let short = encryption
        #expect(try await scene.refusal { $0.encryption = short } == .decryption)
        encryption.contentAlgorithm = "http://www.w3.org/2009/xmlenc11#aes128-gcm"
        encryption.keySize = 32
        let long = encryption
        #expect(try await scene.refusal { $0.encryption = long } == .decryption)
    }

    @Test(
        "what comes out is parsed as strictly as what was sent",
        arguments: [
            ("<!DOCTYPE a><a/>", SAMLRefusal.doctype), ("<a/>", .decryptedContent), ("no XML", .malformed),
            ("<a/><b/>", .malformed),
            ("<!-- -->", .comment),
        ]
    ) func content(_ plain: String, _ expected: SAMLRefusal) async throws {
        let (scene, encryption) = try scene()
        let whole = scene.answer.element(around: try encryption.encrypt(plain))
        #expect(try await scene.refusal(of: whole.canonical) == expected)
    }

    @Test("two assertions, of which one is encrypted") func two() async throws {
        let (scene, encryption) = try scene()
        var whole = try scene.answer.element(by: scene.provider.key)
        let assertion = try #require(whole["saml:Assertion"])
        whole.nodes.append(.element(try encryption.encrypt(assertion.canonical)))
        #expect(try await scene.refusal(of: whole.canonical) == .severalAssertions)
    }

    @Test("other forms: references to cipher texts, two keys, none") func forms() async throws {
        let (scene, encryption) = try scene()
        let assertion = try #require(scene.answer.element(by: scene.provider.key)["saml:Assertion"])
        let good = try encryption.encrypt(assertion.canonical)
        var reference = good
        reference["xenc:EncryptedData"]?["xenc:CipherData"] = SAMLTestElement(
            "xenc:CipherData",
            elements: [SAMLTestElement("xenc:CipherReference", [("URI", "https://other.example/")])]
        )
        var two = good
        let key = try #require(good["xenc:EncryptedData"]?["ds:KeyInfo"]?["xenc:EncryptedKey"])
        two.nodes.append(.element(key))
        var none = good
        none["xenc:EncryptedData"]?["ds:KeyInfo"] = nil
        for form in [reference, two, none, SAMLTestElement("saml:EncryptedAssertion")] {
            #expect(try await scene.refusal(of: scene.answer.element(around: form).canonical) == .encryptionForm)
        }
    }
}
