import Project
import Storage
import Tenancy
import Tokens
import WebAuthn

/// What the console's use cases share.
package struct OperatorGround: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let throttle: Throttle
    let projectID: String
    /// The relying party of operators' passkeys: the console's own address, not that of users' passkeys.
    let party: @Sendable () -> RelyingParty
    /// How long a session lasts without a request.
    let idleTime: Duration
    /// How long a session lasts in any case.
    let sessionTime: Duration
    /// `console.impersonationForbiddenClaim`
    let protectedClaim: String

    /// The scope of limits, challenges and records of operators.
    var scope: Scope { Scope(projectID: projectID) }

    /// Makes an audit record of what an operator or the command line did.
    func event(
        _ kind: AuditEvent.Kind,
        actor: String,
        client: ConsoleClient? = nil,
        _ detail: JSONValue? = nil,
        id: String,
        at time: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            eventID: id,
            occurredAt: time,
            event: kind,
            localID: nil,
            actor: actor,
            address: client?.address,
            detail: detail
        )
    }

    /// Checks, within the transaction of what an owner does to others, that the owner's session and role are still there: the
    /// owner may have been removed meanwhile.
    func requireStill(_ owner: ConsoleOperator, in transaction: any Transaction) throws {
        guard try transaction.operatorSession(projectID, hash: owner.sessionHash) != nil,
            let record = try transaction.consoleOperator(projectID, id: owner.operatorID),
            record.role == owner.role.rawValue, record.tenantID == owner.tenantID
        else { throw OperatorError.signedOut }
    }

    /// Checks the tenant that an operator is to be bound to. An owner manages operators, who belong to the project.
    func checkBinding(_ tenantID: String?, of role: OperatorRole) async throws {
        guard let tenantID else { return }
        guard role != .owner else { throw OperatorError.invalidTenant }
        do {
            _ = try await configurations.configuration(of: Scope(projectID: projectID, tenantID: tenantID))
        } catch is APIError {
            throw OperatorError.invalidTenant
        }
    }

    /// Draws the token of a new session.
    func newToken() -> (token: String, hash: [UInt8]) {
        let token = Base64URL.encode(environment.random(32))
        return (token, sha256(token.utf8))
    }
}

extension OperatorRecord {
    /// Whether the operator has a password with a second factor.
    package var hasPassword: Bool { passwordHash != nil && sealedTOTP != nil }
}
