import Project
import SAML
import SAMLTestKit
import Testing

@Suite("The verifier's threads") struct VerifierTests {
    /// Holds a thread until it is let go.
    private final class Gate: Sendable {
        private let isOpen = LockedState(false)

        func open() { isOpen.withLock { $0 = true } }

        func hold() { while !isOpen.withLock({ $0 }) {} }
    }

    @Test("too many responses at once are refused at once, and none after the end") func bounded() async throws {
        let scene = try Scene()
        let response = Array(try scene.response().utf8)
        let verifier = SAMLVerifier(threads: 1, waiting: 1)
        let gate = Gate()
        async let running: Void = verifier.run { gate.hold() }
        while verifier.load.running < 1 { await Task.yield() }
        async let waiting = verifier.assertion(in: response, expecting: scene.expectation)
        while verifier.load.waiting < 1 { await Task.yield() }
        await #expect(throws: SAMLRefusal.busy) { try await verifier.assertion(in: response, expecting: scene.expectation) }
        gate.open()
        try await running
        #expect(try await waiting.nameID == Scene.nameID)
        await verifier.shutdown()
        await #expect(throws: SAMLRefusal.busy) { try await verifier.assertion(in: response, expecting: scene.expectation) }
    }

    @Test("a response that waits too long is refused") func patience() async throws {
        let scene = try Scene()
        let response = Array(try scene.response().utf8)
        let verifier = SAMLVerifier(threads: 1, waiting: 10, patience: .milliseconds(50))
        let gate = Gate()
        async let running: Void = verifier.run { gate.hold() }
        while verifier.load.running < 1 { await Task.yield() }
        await #expect(throws: SAMLRefusal.busy) { try await verifier.assertion(in: response, expecting: scene.expectation) }
        gate.open()
        try await running
        #expect(try await verifier.assertion(in: response, expecting: scene.expectation).nameID == Scene.nameID)
        await verifier.shutdown()
    }

    @Test("many at once do not disturb each other") func together() async throws {
        let scene = try Scene()
        let good = Array(try scene.response().utf8)
        let bad = Array(try scene.response().replacing(Scene.nameID, with: "root@example.com").utf8)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                let isGood = number.isMultiple(of: 2)
                group.addTask { try await scene.refusal(of: isGood ? good : bad) == (isGood ? nil : .signature) }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
