package import Project

/// The refusal of a credential. Operators see the step that failed; clients get a stable code.
package struct ProviderError: Error, Sendable {
    package enum Step: String, Sendable {
        /// State, session and parameters of a provider's answer through the browser.
        case state
        /// Calls to the token endpoint.
        case exchange
        /// Discovery document or key set could not be fetched.
        case keys
        /// Form, algorithm or signature of the token.
        case signature
        /// Issuer, audience, times, subject, hashes.
        case claims
        /// The call to the provider that checks the credential or reads its profile.
        case profile
    }

    package let step: Step
    /// The reason, fit for the client: it contains nothing of the token or of the provider's network.
    package let reason: String
    package let cause: (any Error)?

    package init(_ step: Step, _ reason: String, cause: (any Error)? = nil) {
        self.step = step
        self.reason = reason
        self.cause = cause
    }

    /// Whether the provider could not be reached at all.
    package var isUnreachable: Bool { cause is OutboundError }

    /// The refusal in the form of the contract.
    package var apiError: APIError { APIError(.invalidIdPResponse, reason, cause: self) }
}

extension ProviderError: CustomStringConvertible {
    /// Step, reason and cause in words, for the log.
    package var description: String { "\(step.rawValue): \(reason)" + (cause.map { " (\($0.plainText))" } ?? "") }
}
