package import Project
import Storage
import Tokens

/// An operator who is signed in to the console, at one request.
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
    /// `console.impersonationForbiddenClaim`
    let protectedClaim: String
    /// The request, in the project's scope, with the operator as its actor.
    let request: CallContext

    /// The name in the audit trail.
    package var actor: String { Self.actor(email) }

    static func actor(_ email: String) -> String { ActorClaim.operatorPrefix + email }

    /// Makes the call of a use case.
    ///
    /// - Parameter seesSecrets: Whether secrets may be shown: only after a factor was proven again.
    /// - Throws: ``OperatorError/notAllowed`` when the operator works in another tenant, ``OperatorError/needsConfirmation``.
    package func call(in tenantID: String?, seesSecrets: Bool = false) throws -> CallContext {
        guard self.tenantID == nil || self.tenantID == tenantID else { throw OperatorError.notAllowed }
        if seesSecrets { try requireConfirmation() }
        var context = request
        context.scope = Scope(projectID: request.scope.projectID, tenantID: tenantID)
        context.isPrivileged = true
        context.adminScopes = role.scopes
        context.hidesSecrets = !seesSecrets
        context.lacksFreshProof = !isConfirmed
        if !role.scopes.isSuperset(of: .all) { context.protectedClaim = protectedClaim }
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

    /// Checks that the operator is the one with an id, or manages others.
    func requireManagement(of operatorID: String) throws {
        if operatorID != self.operatorID { try requireManagement() }
    }

    /// Checks that a factor was proven within the last five minutes.
    package func requireConfirmation() throws {
        guard isConfirmed else { throw OperatorError.needsConfirmation }
    }
}
