import Project
import SAML
import SAMLTestKit
import Testing

/// Signature wrapping: an honest, signed part is moved to where nobody reads it, and a forged one stands in its place. The numbers are those
/// of "On Breaking SAML" (Somorovsky and others, 2012) and of the tools made after it.
@Suite("Signature wrapping") struct WrappingTests {
    private static let victim = "root@example.com"

    private let scene: Scene
    /// The honest assertion with its signature, and without.
    private let signed, bare: SAMLTestElement
    private let signature: SAMLTestElement
    /// The assertion that an attacker would like to be read.
    private let forged: SAMLTestElement

    init() throws {
        scene = try Scene()
        var answer = scene.answer
        bare = try #require(answer.assertion?.element)
        signed = try SAMLTestSignature().sign(bare, by: scene.provider.key)
        signature = try #require(signed["ds:Signature"])
        answer.assertion?.id = "_evil"
        answer.assertion?.nameID = Self.victim
        forged = try #require(answer.assertion?.element)
    }

    // The forged response without an ID that the honest one has.
    private func response(_ parts: [SAMLTestElement]) -> SAMLTestElement {
        var response = scene.answer.element(around: nil)
        response.nodes += parts.map { .element($0) }
        return response
    }

    private func honestResponse() throws -> (signed: SAMLTestElement, bare: SAMLTestElement) {
        var answer = scene.answer
        answer.signed = .response
        var bare = try answer.element(by: scene.provider.key)
        let signed = bare
        bare["ds:Signature"] = nil
        return (signed, bare)
    }

    private func object(_ element: SAMLTestElement) -> SAMLTestElement { SAMLTestElement("ds:Object", elements: [element]) }

    private func insert(_ element: SAMLTestElement, in parent: SAMLTestElement, at place: Int = 1) -> SAMLTestElement {
        var parent = parent
        parent.nodes.insert(.element(element), at: place)
        return parent
    }

    @Test("XSW 1: the honest response in the signature of a forged one") func first() async throws {
        let honest = try honestResponse()
        var signature = try #require(honest.signed["ds:Signature"])
        signature.nodes.append(.element(object(honest.bare)))
        let whole = insert(signature, in: response([forged]))
        #expect(try await scene.refusal(of: whole.canonical) == .nestedResponse)
    }

    @Test("XSW 2: a forged response with the honest one beside its detached signature") func second() async throws {
        let honest = try honestResponse()
        let signature = try #require(honest.signed["ds:Signature"])
        let whole = insert(signature, in: insert(honest.bare, in: response([forged])))
        #expect(try await scene.refusal(of: whole.canonical) == .nestedResponse)
    }

    @Test("XSW 3: a forged assertion before the honest one") func third() async throws {
        #expect(try await scene.refusal(of: response([forged, signed]).canonical) == .severalAssertions)
        #expect(try await scene.refusal(of: response([signed, forged]).canonical) == .severalAssertions)
    }

    @Test("XSW 4: the honest assertion inside of the forged one") func fourth() async throws {
        #expect(try await scene.refusal(of: response([insert(signed, in: forged)]).canonical) == .severalAssertions)
    }

    @Test("XSW 5: a forged assertion with the signature of the honest one behind it") func fifth() async throws {
        let whole = response([insert(signature, in: forged), bare])
        #expect(try await scene.refusal(of: whole.canonical) == .severalAssertions)
    }

    @Test("XSW 6: the honest assertion in the signature that the forged one has") func sixth() async throws {
        let whole = response([insert(insert(bare, in: signature, at: 0), in: forged)])
        #expect(try await scene.refusal(of: whole.canonical) == .severalAssertions)
    }

    @Test("XSW 7: the forged assertion in extensions, where schemas allow anything") func seventh() async throws {
        let extensions = SAMLTestElement("samlp:Extensions", elements: [forged])
        #expect(try await scene.refusal(of: response([extensions, signed]).canonical) == .severalAssertions)
    }

    @Test("XSW 8: the honest assertion in an object of the signature that the forged one has") func eighth() async throws {
        var signature = signature
        signature.nodes.append(.element(object(bare)))
        #expect(try await scene.refusal(of: response([insert(signature, in: forged)]).canonical) == .severalAssertions)
    }

    @Test("XSW 9: the honest assertion under an element of another name") func ninth() async throws {
        // The forged one is the only element Assertion; the honest one has become something that keeps its ID.
        var hidden = bare
        hidden.name = "samlp:Assertion"
        let whole = response([SAMLTestElement("samlp:Extensions", elements: [hidden]), insert(signature, in: forged)])
        #expect(try await scene.refusal(of: whole.canonical) == .reference)
    }

    @Test("a forged assertion that has the ID of the honest one") func sameID() async throws {
        var twin = forged
        twin[attribute: "ID"] = bare[attribute: "ID"]
        #expect(try await scene.refusal(of: response([insert(signature, in: twin)]).canonical) == .signature)
        var hidden = bare
        hidden.name = "samlp:Other"
        let whole = response([SAMLTestElement("samlp:Extensions", elements: [hidden]), insert(signature, in: twin)])
        #expect(try await scene.refusal(of: whole.canonical) == .duplicateID)
    }

    @Test("ids in other spellings that would be found first", arguments: ["Id", "id", "xml:id"]) func spelling(_ name: String)
        async throws
    {
        var hidden = SAMLTestElement("samlp:Extensions", elements: [SAMLTestElement("samlp:Other")])
        hidden.attributes.append((name, bare[attribute: "ID"] ?? ""))
        #expect(try await scene.refusal(of: response([hidden, signed]).canonical) == .duplicateID)
    }

    @Test("a forged, unsigned assertion in a response whose signature was removed") func stripped() async throws {
        #expect(try await scene.refusal(of: response([forged]).canonical) == .unsigned)
        #expect(try await scene.refusal { $0.signed = .nothing } == .unsigned)
    }

    @Test("an assertion changed after it was signed") func changed() async throws {
        let response = try scene.response()
        #expect(try await scene.refusal(of: response.replacing(Scene.nameID, with: Self.victim)) == .signature)
        let whole = try scene.response { $0.signed = .response }
        #expect(try await scene.refusal(of: whole.replacing(Scene.nameID, with: Self.victim)) == .signature)
    }

    @Test("a response changed around a signed assertion, where both are signed") func changedAround() async throws {
        let response = try scene.response { $0.signed = .both }
        let issuer = "<saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">"
        #expect(try await scene.refusal(of: response.replacing(issuer, with: issuer + " ", maxReplacements: 1)) == .signature)
    }

    @Test("unsigned inside signed: a signed response around an assertion with a broken signature") func unsignedInside()
        async throws
    {
        var broken = signed
        broken["ds:Signature"]?["ds:SignatureValue"]?.nodes = [.text("AAAA")]
        var answer = scene.answer
        answer.assertion = nil
        let whole = try SAMLTestSignature().sign(answer.element(around: broken), by: scene.provider.key)
        #expect(try await scene.refusal(of: whole.canonical) == .signature)
    }

    @Test("a signature in a part of the assertion that is not its own") func misplaced() async throws {
        var moved = bare
        moved["saml:Subject"]?.nodes.append(.element(signature))
        #expect(try await scene.refusal(of: response([moved]).canonical) == .misplacedSignature)
    }

    @Test("two signatures") func two() async throws {
        #expect(try await scene.refusal(of: response([insert(signature, in: signed)]).canonical) == .severalSignatures)
    }

    @Test("the assertion outside of the response's own children") func deeper() async throws {
        let wrapped = SAMLTestElement("samlp:Extensions", elements: [signed])
        #expect(try await scene.refusal(of: response([wrapped]).canonical) == .misplacedAssertion)
    }

    @Test("a signed assertion without a response, and other documents") func otherRoot() async throws {
        #expect(try await scene.refusal(of: signed.canonical) == .notAResponse)
        #expect(try await scene.refusal(of: scene.provider.metadata(singleSignOn: "https://idp.example")) == .notAResponse)
        var old = scene.answer.element(around: signed)
        old.name = "saml:Response"
        #expect(try await scene.refusal(of: old.canonical) == .notAResponse)
    }
}
