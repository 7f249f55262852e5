/// What a sign-in has got past. A refusal keeps it, so that an operator sees how far the sign-in came.
package enum SignInStep: String, Sendable, CaseIterable {
    /// The project or tenant allows this way to sign in.
    case methodEnabled
    /// Nobody has tried too often.
    case withinLimits
    /// The credential leads to an account.
    case accountFound
    /// The password, code, token or assertion is right.
    case credentialVerified
    /// The blocking functions have nothing against it.
    case functionsAgreed
}

/// What is learnt about a call on its way, for the audit record of its refusal. It is noted outside of transactions, which may run twice:
/// what only the refusing rule knows goes with its `APIError`.
package final class RefusalFacts: Sendable {
    /// The facts at one time.
    package struct Known: Sendable {
        /// The identity provider or kind of credential.
        package var provider: String?
        /// The account that the credential leads to.
        package var localID: String?
        /// How far the sign-in came; `nil` for calls that are not followed.
        package var steps: [SignInStep]?
        /// The address of the operator whom the client of the console claims to be. Nothing may be allowed by it.
        package var claimedOperator: String?

        package init(provider: String? = nil, localID: String? = nil, steps: [SignInStep]? = nil) {
            self.provider = provider
            self.localID = localID
            self.steps = steps
        }
    }

    private let state = LockedState(Known())

    init() {}

    package var known: Known { state.withLock { $0 } }

    /// Notes what is known now. A later provider or account takes the place of an earlier one, `nil` does not.
    package func note(provider: String? = nil, localID: String? = nil, claimedOperator: String? = nil) {
        state.withLock { known in
            if let provider { known.provider = provider }
            if let localID { known.localID = localID }
            if let claimedOperator { known.claimedOperator = claimedOperator }
        }
    }

    /// Notes a step of the sign-in that is followed; does nothing in other calls.
    package func pass(_ step: SignInStep) {
        state.withLock { known in
            if known.steps?.contains(step) == false { known.steps?.append(step) }
        }
    }

    /// Follows a sign-in, so that a refusal names its provider and tells how far it came. What is refused after its success is no part of it.
    package func following<Value>(
        _ provider: String?,
        isolation: isolated (any Actor)? = #isolation,
        _ signIn: () async throws -> Value
    ) async throws -> Value {
        state.withLock { $0 = Known(provider: provider, steps: []) }
        let value = try await signIn()
        state.withLock { $0 = Known() }
        return value
    }
}
