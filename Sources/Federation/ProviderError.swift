package import Project

/// A refused credential, with the step at which it was refused: operators see where it broke, clients a stable code.
package struct ProviderError: Error, Sendable {
    /// Where in the work the refusal happened.
    package enum Step: String, Sendable {
        /// State, session and parameters of a provider's answer through the browser.
        case state
        /// Calls to the token endpoint.
        case exchange
        /// Discovery document or key set could not be had.
        case keys
        /// Form, algorithm or signature of the token.
        case signature
        /// Issuer, audience, times, subject, hashes.
        case claims
        /// The provider was asked about the credential, or for the profile behind it.
        case profile
    }

    package let step: Step
    /// What is wrong, fit for the client: nothing of the token and nothing of the provider's network.
    package let reason: String
    package let cause: (any Error)?

    package init(_ step: Step, _ reason: String, cause: (any Error)? = nil) {
        self.step = step
        self.reason = reason
        self.cause = cause
    }

    /// Whether the provider could not be asked at all, as against having answered badly.
    package var isUnreachable: Bool { cause is OutboundError }

    /// The refusal as the contract has it.
    package var apiError: APIError { APIError(.invalidIdPResponse, reason, cause: self) }
}
