package import Project

/// Verifies responses on a bounded number of threads of its own, so that neither parsing nor canonicalization delays an event loop.
package final class SAMLVerifier: Sendable {
    /// - Parameters:
    ///   - threads: How many responses are verified at once, at least one.
    ///   - waiting: How many more may wait.
    package init(threads: Int, waiting: Int) {}

    /// Verifies a response and reads its assertion.
    ///
    /// - Parameters:
    ///   - response: The XML, as the `SAMLResponse` had it in Base64.
    ///   - expectation: What the flow expects.
    /// - Returns: What the provider signed.
    /// - Throws: ``SAMLRefusal``; `CancellationError`.
    package func assertion(in response: [UInt8], expecting expectation: SAMLExpectation) async throws -> SAMLAssertion {
        fatalError()
    }

    /// Reads an identity provider's metadata.
    ///
    /// - Parameter xml: The document, from an operator or a server.
    /// - Returns: What the document says of its only identity provider.
    /// - Throws: ``SAMLRefusal``; `CancellationError`.
    package func metadata(in xml: [UInt8]) async throws -> IdentityProviderMetadata { fatalError() }

    /// How busy the threads are now.
    package var load: JobLoad { fatalError() }

    /// Refuses new work, and waits for what was accepted and for the end of the threads.
    package func shutdown() async {}
}
