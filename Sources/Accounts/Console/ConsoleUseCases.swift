import Passwords
import Settings
import WebAuthn

/// What operators of the console do with their own access. What they do to users and configuration are the Admin API's use cases.
package final class ConsoleUseCases: Sendable {
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
        changeLog: ChangeLog,
        throttle: Throttle,
        audit: RefusalAudit,
        hasher: PasswordHasher,
        mailer: OOBMailer,
        url: @escaping @Sendable () -> WebURL
    ) {
        let base = OperatorServices(
            runtime: runtime,
            sealer: changeLog.sealer,
            throttle: throttle,
            changeLog: changeLog,
            projectID: settings.project.id,
            idleTime: settings.console.idleTime,
            sessionTime: settings.console.sessionTime,
            protectedClaim: settings.console.impersonationForbiddenClaim
        )
        // The relying party of operators' passkeys is the console's own address, not that of users' passkeys.
        let ceremonies = PasskeyChallenges(
            environment: runtime.environment,
            sealer: changeLog.sealer,
            party: {
                let url = url()
                return RelyingParty(id: url.host, origins: [url.origin])
            },
            ended: { _ in OperatorError.ceremonyEnded }
        )
        let passkeys = OperatorPasskeys(base: base, ceremonies: ceremonies)
        let password = OperatorPassword(base: base, hasher: hasher)
        sessions = OperatorSessions(base: base)
        approvals = OperatorApprovals(base: base, isRequired: settings.console.requiresApprovals)
        invitations = OperatorInvitations(
            base: base,
            approvals: approvals,
            mailer: mailer,
            canMail: settings.email.leaves
        )
        let setup = OperatorFactorSetup(base: base, passkeys: passkeys, password: password)
        enrollment = OperatorEnrollment(base: base, setup: setup, sessions: sessions)
        signIn = OperatorSignIn(base: base, passkeys: passkeys, password: password, sessions: sessions)
        factors = OperatorFactors(base: base, setup: setup)
        directory = OperatorDirectory(base: base, approvals: approvals)
        limits = OperatorLimits(base: base)
        refusals = OperatorRefusals(base: base, audit: audit)
    }
}
