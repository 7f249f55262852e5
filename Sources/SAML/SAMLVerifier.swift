package import Project

/// Verifies responses on a bounded number of threads of its own, so that neither parsing nor canonicalization delays an event loop.
package final class SAMLVerifier: Sendable {
    // Does the work, and returns the function that delivers its result.
    private typealias Work = @Sendable () -> @Sendable () -> Void

    private let threads: JobThreads<Work>

    /// The longest time for which a browser waits without a sign of what became of its sign-in.
    package static let defaultPatience = Duration.seconds(8)

    package init(threads: Int, waiting: Int, patience: Duration = defaultPatience) {
        let rules = JobRules(
            waiting: waiting,
            patience: patience,
            full: SAMLRefusal.busy,
            closed: SAMLRefusal.busy,
            servesCancelled: false
        )
        self.threads = JobThreads(max(threads, 1), named: "saml", rules: rules) { worker in
            worker.serve { work in
                let deliver = work()
                worker.finish()
                deliver()
            }
        }
    }

    /// Verifies a response and reads its assertion.
    ///
    /// - Parameter response: The decoded XML, not the Base64 of `SAMLResponse`.
    package func assertion(in response: [UInt8], expecting expectation: SAMLExpectation) async throws -> SAMLAssertion {
        try await run { try ResponseVerification(expectation: expectation).assertion(in: response) }
    }

    /// Reads an identity provider's metadata.
    package func metadata(in xml: [UInt8], now: Timestamp) async throws -> IdentityProviderMetadata {
        try await run { try IdentityProviderMetadata(xml: xml, now: now) }
    }

    /// Has other work done on the threads, such as signing a request.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await threads.submit { (continuation: CheckedContinuation<T, any Error>) in
            {
                let result = Result(catching: body)
                return { continuation.resume(with: result) }
            }
        }
    }

    /// How busy the threads are now.
    package var load: JobLoad { threads.load }

    /// Refuses new work, and waits for what was accepted and for the end of the threads.
    package func shutdown() async { await threads.close() }
}
