import Federation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("A link to the account of a session", .timeLimit(.minutes(15)))
struct LinkTests {
    private typealias Stage = SessionRuleStage

    /// Every way in that a session can add to its account.
    private static let methods: [String: SignInProof.Method] = [
        "provider": .identityProvider(VerifiedIdentity(providerID: "oidc.test", rawID: "1", rawUserInfo: [:])),
        "password": .newPassword(
            SignInProof.NewPassword(email: "ann@example.com", storedText: "new", displayName: nil, mayKeepAddress: true)
        ),
        "link": .emailLink(SignInProof.EmailLink(email: "other@example.com", codeHash: [1])),
        "phone": .phone(SignInProof.ProvenPhone(number: "+16505550101")),
    ]

    private func refusal(
        of method: SignInProof.Method,
        linkedTo token: VerifiedIDToken?,
        on stage: SessionRuleStage
    ) async throws -> ErrorCode? {
        let environment = stage.clock.environment()
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: environment)
        let (context, time) = (CallContext(scope: Stage.scope), stage.clock.now)
        let limits = try await ThrottleTests.limits()
        let log = ChangeLog(environment: environment, sealer: sealer, events: EventOutbox(wakeUp: nil))
        let apply = SignInPipeline.SignInTransaction(
            proof: SignInProof(method: method, linkTo: token),
            policy: SignInPolicy(project: [:], tenant: nil, mode: .production),
            context: context,
            draft: SignInPipeline.Draft(
                localID: "new",
                eventID: environment.newEventID(),
                signInEventID: environment.newEventID(),
                session: stage.mint.draft(),
                createdAt: time,
                time: time
            ),
            stamp: log.stamp(context),
            recentLogin: RecentLoginRule(window: .seconds(60), linkWindow: .seconds(60), mode: .production),
            mint: stage.mint,
            throttle: Throttle(database: stage.store, environment: environment, limits: limits, mode: .production),
            events: log.events,
            reporter: nil
        )
        do {
            _ = try await stage.store.rehearse { try apply.perform(in: $0) }
            return nil
        } catch let error as APIError {
            return error.code
        }
    }

    @Test("takes a recent sign-in whatever is linked: who makes the proof cannot leave the rule out (LNK-06)")
    func recentSignIn() async throws {
        let stage = try await Stage()
        let account = try await stage.account("ann") {
            $0.email = "ann@example.com"
            $0.passwordHash = "old"
        }
        let token = try stage.token(try await stage.signIn(account))
        let tooOld = ErrorCode.credentialTooOldLoginAgain
        for (name, method) in Self.methods {
            let fresh = try await refusal(of: method, linkedTo: token, on: stage)
            #expect(fresh != tooOld, "\(name)")
        }
        stage.clock.advance(by: .seconds(100))
        for (name, method) in Self.methods {
            let late = try await refusal(of: method, linkedTo: token, on: stage)
            #expect(late == tooOld, "\(name)")
            // Nothing is linked, so there is no session whose sign-in could be old.
            let unlinked = try await refusal(of: method, linkedTo: nil, on: stage)
            #expect(unlinked != tooOld, "\(name)")
        }
        try await stage.store.close()
    }
}
