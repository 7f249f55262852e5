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

/// Notes the steps of one sign-in.
package final class SignInTrail: Sendable {
    @TaskLocal private static var current: SignInTrail?

    private let passed = LockedState<[SignInStep]>([])

    /// Notes a step of the sign-in that this task works for; does nothing elsewhere.
    package static func pass(_ step: SignInStep) {
        current?.passed.withLock { if !$0.contains(step) { $0.append(step) } }
    }

    /// Runs a sign-in. A refusal tells how far it came.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the caller.
    ///   - body: The sign-in.
    /// - Returns: What it returns.
    /// - Throws: What it throws.
    package static func following<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let trail = SignInTrail()
        do {
            return try await $current.withValue(trail, operation: body)
        } catch let error as APIError {
            throw error.after(trail.passed.withLock { $0 })
        }
    }
}
