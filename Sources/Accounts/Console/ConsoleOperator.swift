package import Project
import Storage
import Tokens

/// An operator who is signed in to the console.
package struct ConsoleOperator: Sendable {
    package let operatorID: String
    package let email: String
    package let role: OperatorRole
    /// The one tenant that the operator works in; `nil` for all of them and the project itself.
    package let tenantID: String?
    /// The text that this session's forms carry (threat case WEB-05). It tells nothing of the cookie.
    package let formToken: String
    /// Whether a factor was proven within the last five minutes.
    package let isConfirmed: Bool
    /// Names this session in lists.
    package let sessionHash: [UInt8]
    let projectID: String
    /// `console.impersonationForbiddenClaim`
    let protectedClaim: String

    /// The name in the audit trail.
    package var actor: String { Self.actor(email) }

    static func actor(_ email: String) -> String { ActorClaim.operatorPrefix + email }

    /// Makes the call of a use case.
    ///
    /// - Parameter seesSecrets: Whether secrets may be shown: only after a factor was proven again.
    /// - Throws: ``OperatorError/notAllowed`` when the operator works in another tenant, ``OperatorError/needsConfirmation``.
    package func call(in tenantID: String?, from client: ConsoleClient, seesSecrets: Bool = false) throws -> CallContext {
        guard self.tenantID == nil || self.tenantID == tenantID else { throw OperatorError.notAllowed }
        if seesSecrets { try requireConfirmation() }
        var context = CallContext(
            scope: Scope(projectID: projectID, tenantID: tenantID),
            isPrivileged: true,
            actor: actor,
            adminScopes: role.scopes,
            address: client.address,
            requestID: client.requestID,
            userAgent: client.userAgent
        )
        context.hidesSecrets = !seesSecrets
        context.lacksFreshProof = !isConfirmed
        if !role.scopes.isSuperset(of: .all) { context.sparedClaim = protectedClaim }
        return context
    }

    /// Checks that the role has all of some scopes.
    package func require(_ scopes: AdminScopes) throws {
        guard role.scopes.isSuperset(of: scopes) else { throw OperatorError.notAllowed }
    }

    /// Checks that the operator manages others. A tenant's operator never does.
    func requireManagement() throws {
        guard role.managesOperators, tenantID == nil else { throw OperatorError.notAllowed }
    }

    /// Checks that a factor was proven within the last five minutes.
    package func requireConfirmation() throws {
        guard isConfirmed else { throw OperatorError.needsConfirmation }
    }
}

/// Where an operator calls from.
package struct ConsoleClient: Sendable {
    package let address: String?
    package let requestID: String?
    package let userAgent: String?
    private let claim = LockedState<String?>(nil)

    package init(address: String?, requestID: String?, userAgent: String?) {
        self.address = address
        self.requestID = requestID
        self.userAgent = userAgent?.cut(toBytes: 512)
    }

    /// The address of the operator whom the client claims to be, for the record of a refusal. Nothing may be allowed by it.
    var claimed: String? { claim.withLock { $0 } }

    /// Notes whom the client claims to be.
    func claims(_ email: String) { claim.withLock { $0 = email } }
}
