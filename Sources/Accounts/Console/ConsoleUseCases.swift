import Passwords
import Settings
import Tokens
import WebAuthn

/// What operators of the console do with their own access. What they do to users and configuration are the Admin API's use cases.
package struct ConsoleUseCases: Sendable {
    package let invitations: OperatorInvitations
    package let enrollment: OperatorEnrollment
    package let signIn: OperatorSignIn
    package let sessions: OperatorSessions
    package let factors: OperatorFactors
    package let directory: OperatorDirectory
    package let approvals: OperatorApprovals
    package let limits: OperatorLimits
    package let refusals: OperatorRefusals

    /// - Parameter url: The address at which browsers reach the console. It is read at each use, because with port 0 it is known
    ///   only once the listener runs.
    init(
        _ runtime: Runtime,
        _ settings: Settings,
        sealer: TokenSealer,
        throttle: Throttle,
        audit: RefusalAudit,
        hasher: PasswordHasher,
        mailer: OOBMailer,
        url: @escaping @Sendable () -> WebURL
    ) {
        let base = OperatorGround(
            runtime: runtime,
            sealer: sealer,
            throttle: throttle,
            projectID: settings.project.id,
            party: {
                let url = url()
                return RelyingParty(id: url.host, origins: [url.origin])
            },
            idleTime: settings.console.idleTime,
            sessionTime: settings.console.sessionTime,
            protectedClaim: settings.console.impersonationForbiddenClaim
        )
        let passkeys = OperatorPasskeys(base: base)
        let password = OperatorPassword(base: base, hasher: hasher)
        sessions = OperatorSessions(base: base)
        approvals = OperatorApprovals(base: base, isRequired: settings.console.requiresApprovals)
        invitations = OperatorInvitations(
            base: base,
            approvals: approvals,
            mailer: mailer,
            canMail: settings.email.leaves
        )
        enrollment = OperatorEnrollment(base: base, passkeys: passkeys, password: password, sessions: sessions)
        signIn = OperatorSignIn(base: base, passkeys: passkeys, password: password, sessions: sessions)
        factors = OperatorFactors(base: base, passkeys: passkeys, password: password)
        directory = OperatorDirectory(base: base, approvals: approvals)
        limits = OperatorLimits(base: base)
        refusals = OperatorRefusals(base: base, audit: audit)
    }
}
