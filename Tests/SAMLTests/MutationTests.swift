import Foundation
import Project
import SAML
import SAMLTestKit
import Testing

/// Valid responses that were changed at random. None may be accepted with anything that the provider did not sign, and none may end the
/// process; the latter says most under `swift test --sanitize=address`.
///
/// Some bytes of a response are signed by nobody: all of a response around a signed assertion, the certificate in a signature, and what
/// canonicalization takes away. So there are two tests: of changes to what is signed, and of changes anywhere.
@Suite("Mutated responses") struct MutationTests {
    // Of each kind. More for a longer run: POSTERN_SAML_MUTATIONS=100000.
    private static let count = ProcessInfo.processInfo.environment["POSTERN_SAML_MUTATIONS"].flatMap { Int($0) } ?? 2000
    private static let seed: UInt64 = 20

    @Test("a response is never accepted whose signed bytes, or whose signature, were changed")
    func signedBytes() async throws {
        let scene = try signedScene()
        let documents = try documents(scene).compactMap { SignedBytes($0.bytes, signed: $0.signed, isEncrypted: $0.isEncrypted) }
        #expect(documents.count == 5)
        for document in documents { _ = try await scene.accept(document.document) }
        let accepted = try await inParts { part, count in
            var source = SAMLTestMutation(seed: Self.seed + 100 + part)
            var accepted = 0
            for number in 0..<count {
                let changed = documents[number % documents.count].mutated(by: &source)
                guard try await scene.refusal(of: changed) == nil else { continue }
                accepted += 1
                Issue.record("accepted: \(String(decoding: changed, as: UTF8.self))")
            }
            return accepted
        }
        #expect(accepted.reduce(0, +) == 0)
    }

    @Test("a response that was changed anywhere is refused, or says what was signed and nothing else")
    func anyBytes() async throws {
        let scene = try signedScene()
        let documents = try documents(scene).map(\.bytes)
        let honest = try await scene.accept(documents[0])
        let outcomes = try await inParts { part, count in
            try await Self.run(count, seed: Self.seed + part, documents, scene, honest)
        }.reduce(into: Outcome()) { $0.add($1) }
        #expect(outcomes.forged == 0)
        #expect(outcomes.refused > Self.count * 9 / 10)
        // Bytes that nobody signs and that change nothing, such as white space in a tag or the certificate that is ignored.
        #expect(outcomes.harmless < Self.count / 10)
        print("SAML mutations: \(outcomes.refused) refused, \(outcomes.harmless) accepted unchanged, \(outcomes.forged) forged")
    }

    private struct Document: Sendable {
        let bytes: [UInt8]
        let signed: SAMLTestResponse.Signed
        let isEncrypted: Bool
    }

    private func signedScene() throws -> Scene {
        var scene = try Scene()
        scene.expectation.decryptionKeys = [try Scene.serviceKey.get().privateKey]
        return scene
    }

    private func documents(_ scene: Scene) throws -> [Document] {
        let encryption = SAMLTestEncryption(certificate: try Scene.serviceKey.get().certificate)
        var documents: [Document] = []
        for signed in [SAMLTestResponse.Signed.assertion, .response, .both] {
            for isEncrypted in [false, true] {
                let response = try scene.response {
                    $0.assertion?.id = "_5f1d2c3b"
                    $0.signed = signed
                    $0.encryption = isEncrypted ? encryption : nil
                }
                documents.append(Document(bytes: Array(response.utf8), signed: signed, isEncrypted: isEncrypted))
            }
        }
        return documents
    }

    // One part for each thread of the verifier.
    private func inParts<T: Sendable>(
        _ body: @escaping @Sendable (_ part: UInt64, _ count: Int) async throws -> T
    ) async throws -> [T] {
        try await withThrowingTaskGroup(of: T.self) { group in
            for part in UInt64(0)..<2 { group.addTask { try await body(part, Self.count / 2) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("metadata is read or refused") func metadata() async throws {
        let scene = try Scene()
        let document = Array(scene.provider.metadata(singleSignOn: "https://idp.example/sso").utf8)
        var mutation = SAMLTestMutation(seed: Self.seed)
        for _ in 0..<Self.count / 10 {
            let changed = mutation.mutate(document)
            do { _ = try await Scene.verifier.metadata(in: changed, now: Scene.now) } catch is SAMLRefusal { continue }
        }
    }

    private struct Outcome: Sendable {
        var refused = 0
        var harmless = 0
        var forged = 0

        mutating func add(_ other: Outcome) {
            refused += other.refused
            harmless += other.harmless
            forged += other.forged
        }
    }

    private static func run(
        _ count: Int,
        seed: UInt64,
        _ documents: [[UInt8]],
        _ scene: Scene,
        _ honest: SAMLAssertion
    ) async throws -> Outcome {
        var mutation = SAMLTestMutation(seed: seed)
        var outcome = Outcome()
        for number in 0..<count {
            let changed = mutation.mutate(documents[number % documents.count])
            do {
                let assertion = try await scene.accept(changed)
                if assertion == honest { outcome.harmless += 1 } else { outcome.forged += 1 }
            } catch is SAMLRefusal { outcome.refused += 1 }
        }
        return outcome
    }
}
