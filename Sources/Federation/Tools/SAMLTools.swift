import Project
import SAML

/// What SAML providers need besides the tools of all providers.
package struct SAMLTools: Sendable {
    /// A key pair of this server as a service provider.
    package struct ServiceKey: Sendable {
        /// X.509, as PEM.
        package let certificate: String
        /// PKCS #8, as PEM.
        package let privateKey: String

        package init(certificate: String, privateKey: String) {
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }

    /// Reads and verifies responses, in threads of its own.
    let verifier: SAMLVerification
    /// The keys that there are, the one that signs first. They are not made by reading them.
    let storedKeys: @Sendable () async throws -> [ServiceKey]
    /// The key that signs, made if there is none.
    let signingKey: @Sendable () async throws -> ServiceKey?

    package init(
        verifier: SAMLVerification,
        storedKeys: @escaping @Sendable () async throws -> [ServiceKey],
        signingKey: @escaping @Sendable () async throws -> ServiceKey?
    ) {
        self.verifier = verifier
        self.storedKeys = storedKeys
        self.signingKey = signingKey
    }
}

/// The verifier of SAML responses and signer of requests, whose threads begin with the first of them: most servers and all commands see
/// none.
package final class SAMLVerification: Sendable {
    private enum State {
        case idle
        case running(SAMLVerifier)
        case closed
    }

    private let threads: Int
    private let state = LockedState(State.idle)

    // A response takes about a millisecond; whoever waits behind more of them had better try again.
    private static let waiting = 256

    package init(threads: Int) { self.threads = threads }

    /// Verifies a response.
    func assertion(in response: [UInt8], expecting expectation: SAMLExpectation) async throws -> SAMLAssertion {
        guard let verifier = running() else { throw SAMLRefusal.busy }
        return try await verifier.assertion(in: response, expecting: expectation)
    }

    /// Reads an identity provider's metadata.
    func metadata(in xml: [UInt8], now: Timestamp) async throws -> IdentityProviderMetadata {
        guard let verifier = running() else { throw SAMLRefusal.busy }
        return try await verifier.metadata(in: xml, now: now)
    }

    /// Has a request signed on the threads.
    ///
    /// - Throws: What the body threw; `SAMLRefusal.busy`.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        guard let verifier = running() else { throw SAMLRefusal.busy }
        return try await verifier.run(body)
    }

    private func running() -> SAMLVerifier? {
        state.withLock { state in
            switch state {
            case .idle:
                let verifier = SAMLVerifier(threads: threads, waiting: Self.waiting)
                state = .running(verifier)
                return verifier
            case .running(let verifier): return verifier
            case .closed: return nil
            }
        }
    }

    /// Ends the threads. Nothing is verified any more.
    package func close() async {
        let verifier = state.withLock { state -> SAMLVerifier? in
            defer { state = .closed }
            if case .running(let verifier) = state { return verifier }
            return nil
        }
        await verifier?.shutdown()
    }
}
