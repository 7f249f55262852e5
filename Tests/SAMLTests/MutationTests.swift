import Foundation
import Project
import SAML
import SAMLTestKit
import Testing

/// Valid responses that were changed at random. None may be accepted with anything that the provider did not sign, and none may end the
/// process; the latter says most under `swift test --sanitize=address`.
@Suite("Mutated responses") struct MutationTests {
    // More for a longer run: POSTERN_SAML_MUTATIONS=100000.
    private static let count = ProcessInfo.processInfo.environment["POSTERN_SAML_MUTATIONS"].flatMap { Int($0) } ?? 4000
    private static let seed: UInt64 = 20

    @Test("the claims are those that were signed, or none") func responses() async throws {
        var scene = try Scene()
        let service = try Scene.serviceKey.get()
        scene.expectation.decryptionKeys = [service.privateKey]
        let encryption = SAMLTestEncryption(certificate: service.certificate)
        var documents: [[UInt8]] = []
        for signed in [SAMLTestResponse.Signed.assertion, .response, .both] {
            for isEncrypted in [false, true] {
                let response = try scene.response {
                    $0.assertion?.id = "_5f1d2c3b"
                    $0.signed = signed
                    $0.encryption = isEncrypted ? encryption : nil
                }
                documents.append(Array(response.utf8))
            }
        }
        let honest = try await scene.accept(documents[0])
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for part in 0..<2 {
                let (scene, documents) = (scene, documents)
                group.addTask {
                    try await Self.run(Self.count / 2, seed: Self.seed + UInt64(part), documents, scene, honest)
                }
            }
            return try await group.reduce(into: Outcome()) { $0.add($1) }
        }
        #expect(outcomes.forged == 0)
        #expect(outcomes.refused > Self.count * 9 / 10)
        // Bytes that nobody signs and that change nothing, such as white space in a tag or the certificate that is ignored.
        #expect(outcomes.harmless < Self.count / 10)
        print("SAML mutations: \(outcomes.refused) refused, \(outcomes.harmless) accepted unchanged, \(outcomes.forged) forged")
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
