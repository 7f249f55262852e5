import Logging
import Messaging
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("A phone as second factor", .timeLimit(.minutes(15)))
struct SMSSecondFactorTests {
    private static let scope = Scope(projectID: "p")
    private static let number = "+15555550100"

    /// Codes in memory: one for each session, good for one purpose and once.
    private final class Codes: SMSCodes {
        struct Sent: Sendable {
            let number: String
            let purpose: SMSCodePurpose
        }

        static let code = "123456"
        private let sessions = LockedState<[String: Sent]>([:])
        private let count = LockedState(0)

        /// The last number that got a code.
        let lastNumber = LockedState<String?>(nil)

        func send(_ request: SMSCodeRequest, context: CallContext) async throws -> String {
            let number = try require(request.phoneNumber, .invalidPhoneNumber)
            let id = count.withLock { count in
                count += 1
                return "session-\(count)"
            }
            sessions.withLock { $0[id] = Sent(number: number, purpose: request.purpose) }
            lastNumber.withLock { $0 = number }
            return id
        }

        func redeem(
            sessionInfo: String,
            code: String,
            for purpose: SMSCodePurpose,
            context: CallContext
        ) async throws -> String {
            let sent = sessions.withLock { $0[sessionInfo] }
            guard let sent, sent.purpose == purpose else { throw APIError(.invalidSessionInfo) }
            guard code == Self.code else { throw APIError(.invalidCode) }
            guard sessions.withLock({ $0.removeValue(forKey: sessionInfo) }) != nil else { throw APIError(.invalidSessionInfo) }
            return sent.number
        }

        func checkSecondFactor(sessionInfo: String, code: String, context: CallContext) async throws {
            guard let sent = sessions.withLock({ $0[sessionInfo] }), case .secondFactor = sent.purpose else {
                throw APIError(.invalidSessionInfo)
            }
            guard code == Self.code else { throw APIError(.invalidCode) }
        }
    }

    /// The use cases on a store of their own, with one user whose address is proven.
    private struct Bench {
        let database: SQLiteDatabase
        let clock = TestClock()
        let codes = Codes()
        let context = CallContext(scope: SMSSecondFactorTests.scope)
        let enrollment: SecondFactorEnrollment
        let signIn: SecondFactorSignIn
        let pipeline: SignInPipeline
        let policy: SignInPolicy
        let idTokens: IDTokenRules

        init(mfa: JSONValue = ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]]) async throws {
            let logger = LogCapture().logger()
            database = try SQLiteDatabase(.memory, readers: 1, logger: logger)
            try await Migrator.sqlite.migrate(database, now: 0)
            let environment = clock.environment()
            let now = clock.now
            let config = ResourceRecord(kind: .config, resourceID: "", document: ["mfa": mfa])
            try await database.write { transaction in
                try transaction.putResource(SMSSecondFactorTests.scope, config, at: now)
                var account = AccountRecord(localID: "u", createdAt: now)
                account.email = "a@b.c"
                account.emailVerified = true
                account.passwordHash = "hash"
                try transaction.insertAccount(SMSSecondFactorTests.scope, account)
            }
            policy = SignInPolicy(project: ["mfa": mfa], tenant: nil, mode: .production)
            let sealer = TokenSealer(masterKey: try MasterKey(bytes: [UInt8](repeating: 1, count: 32)), environment: environment)
            let keyRing = KeyRing(
                database: database,
                sealer: sealer,
                environment: environment,
                purpose: .idToken,
                tokenLifetime: .seconds(3600)
            )
            let issuer = TokenIssuer(
                keyRing: keyRing,
                environment: environment,
                form: .unsigned,
                issuer: nil,
                lifetimeSeconds: 3600,
                mode: .development
            )
            let mint = SessionMint(issuer: issuer, environment: environment, sessionsPerUser: 10)
            let configurations = ConfigurationStore(
                database: database,
                environment: environment,
                sealer: sealer,
                mode: .production
            )
            let pending = PendingSecondFactors(
                sealer: sealer,
                environment: environment,
                lifetime: .seconds(300),
                mode: .production
            )
            let secrets = TOTPSecrets(sealer: sealer, environment: environment)
            idTokens = IDTokenRules(issuer: issuer)
            let events = EventOutbox(wakeUp: nil)
            pipeline = SignInPipeline(
                database: database,
                environment: environment,
                mint: mint,
                pendingFactors: pending,
                functions: BlockingFunctionCaller(environment: environment, issuer: issuer, mode: .production),
                events: events
            )
            let seal = PayloadSeal(seal: { String(decoding: $0, as: UTF8.self) }, open: { Array($0.utf8) })
            let mailer = OOBMailer(
                templates: try EmailTemplates(),
                outbox: EmailOutbox(payloadSeal: seal, environment: environment),
                sender: try Mailbox(address: "postern@example.com"),
                publicURL: { "https://auth.example.com" },
                wakeUp: {}
            )
            let lifetimes = OOBCodeMint.Lifetimes(
                passwordReset: 60,
                emailSignIn: 60,
                verifyEmail: 60,
                changeEmail: 60,
                recoverEmail: 60
            )
            enrollment = SecondFactorEnrollment(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                recentLogin: RecentLoginRule(window: .seconds(300), mode: .production),
                smsCodes: codes,
                secrets: secrets,
                notice: SecondFactorNotice(
                    codes: OOBCodeMint(
                        environment: environment,
                        sealer: sealer,
                        lifetimes: lifetimes,
                        mode: .production,
                        logger: Logger(label: "test")
                    ),
                    links: OOBLink(publicURL: { "https://auth.example.com" }, mode: .production, apiKey: "k"),
                    mailer: mailer
                ),
                renewal: SessionRenewal(mint: mint, events: events),
                mode: .production
            )
            signIn = SecondFactorSignIn(
                database: database,
                configurations: configurations,
                pending: pending,
                smsCodes: codes,
                secrets: secrets,
                throttle: Throttle(
                    database: database,
                    environment: environment,
                    limits: .init(
                        signUpsPerAddressPerHour: 1,
                        passwordFailuresPerAccount: 1,
                        passwordFailuresPerAddressPerHour: 1,
                        mailsPerRecipientPerHour: 1,
                        mailsPerAddressPerHour: 1
                    ),
                    mode: .production
                ),
                pipeline: pipeline,
                refusals: RefusalAudit(database: database, environment: environment, logger: logger)
            )
        }

        /// The first factor.
        func password() async throws -> SignInOutcome {
            let checked = SignInProof.CheckedPassword(localID: "u", storedText: "hash", rehashedText: nil)
            return try await pipeline.complete(SignInProof(method: .password(checked)), policy: policy, context: context)
        }

        func idToken() async throws -> String { try await password().session(or: .operationNotAllowed).tokens.idToken }

        func pending() async throws -> String {
            guard case .secondFactorPending(let pending) = try await password() else { throw APIError(.operationNotAllowed) }
            return pending.credential
        }

        func start(_ idToken: String, _ number: String?) async throws -> String {
            let started = try await enrollment.start(.phone(number: number, AppProof()), idToken: idToken, context: context)
            guard case .phone(let sessionInfo) = started else { throw APIError(.invalidArgument) }
            return sessionInfo
        }

        func enroll(_ idToken: String, _ number: String) async throws -> SecondFactorEnrollment.Result {
            let sessionInfo = try await start(idToken, number)
            return try await enrollment.finalize(
                .phone(sessionInfo: sessionInfo, code: Codes.code),
                idToken: idToken,
                displayName: nil,
                context: context
            )
        }

        func show(_ credential: String, _ sessionInfo: String, code: String = Codes.code) async throws -> SignInOutcome.SignedIn {
            try await signIn.finalize(
                credential: credential,
                .phone(sessionInfo: sessionInfo, code: code),
                context: context
            )
        }
    }

    private func refusal<T>(_ body: () async throws -> T) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? APIError)?.message
        }
    }

    @Test("is enrolled by a code, told of by mail, and shown by another; each code is good for its own purpose")
    func lifecycle() async throws {
        let bench = try await Bench()
        let idToken = try await bench.idToken()
        let result = try await bench.enroll(idToken, "+1 555 555 0100")
        #expect(result.factor.phoneNumber == Self.number)
        let claims = try bench.idTokens.verify(result.tokens.idToken, scope: Self.scope)
        #expect(claims.secondFactor == UsedSecondFactor(kind: "phone", enrollmentID: result.factor.enrollmentID))
        let stored = try await bench.database.read { transaction in
            (
                try transaction.oobCodes(Self.scope), try transaction.account(Self.scope, localID: "u"),
                try transaction.query("SELECT 1 AS one FROM email_outbox").count
            )
        }
        #expect(stored.0.map(\.type) == [.revertSecondFactorAddition])
        #expect(stored.0.first?.enrollmentID == result.factor.enrollmentID)
        #expect(stored.1?.secondFactors == [result.factor])
        #expect(stored.2 == 1)

        let (second, enrolling) = (
            try await bench.enroll(idToken, "+15555550199"), try await bench.start(idToken, "+15555550111")
        )
        let credential = try await bench.pending()
        let sessionInfo = try await bench.signIn.start(
            credential: credential,
            enrollmentID: second.factor.enrollmentID,
            proof: AppProof(),
            context: bench.context
        )
        #expect(bench.codes.lastNumber.withLock { $0 } == "+15555550199")
        #expect(await refusal { try await bench.show(credential, enrolling) } == "INVALID_SESSION_INFO")
        #expect(await refusal { try await bench.show(credential, sessionInfo, code: "000000") } == "INVALID_CODE")
        // Session and code are looked at before the credential, and are not used up with a bad one.
        #expect(await refusal { try await bench.show("garbage", "nothing") } == "INVALID_SESSION_INFO")
        #expect(await refusal { try await bench.show("garbage", enrolling) } == "INVALID_SESSION_INFO")
        #expect(await refusal { try await bench.show("garbage", sessionInfo, code: "000000") } == "INVALID_CODE")
        #expect(await refusal { try await bench.show("garbage", sessionInfo) } == "INVALID_MFA_PENDING_CREDENTIAL")
        let other = try await bench.signIn.start(
            credential: credential,
            enrollmentID: second.factor.enrollmentID,
            proof: AppProof(),
            context: bench.context
        )
        let session = try await bench.show(credential, sessionInfo)
        let shown = try bench.idTokens.verify(session.tokens.idToken, scope: Self.scope)
        #expect(shown.secondFactor == UsedSecondFactor(kind: "phone", enrollmentID: second.factor.enrollmentID))
        #expect(shown.signInProvider == "password")
        #expect(await refusal { try await bench.show(credential, other) } == "INVALID_MFA_PENDING_CREDENTIAL")
        let again = await refusal {
            try await bench.signIn.start(
                credential: credential,
                enrollmentID: second.factor.enrollmentID,
                proof: AppProof(),
                context: bench.context
            )
        }
        #expect(again == "INVALID_MFA_PENDING_CREDENTIAL")
    }

    @Test("is refused with the contract's errors")
    func refusals() async throws {
        let bench = try await Bench()
        let idToken = try await bench.idToken()
        let twice = try await bench.start(idToken, Self.number)
        _ = try await bench.enroll(idToken, Self.number)
        let exists = "SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account."
        #expect(await refusal { try await bench.start(idToken, "+1-555-555-0100") } == exists)
        #expect(await refusal { try await bench.start(idToken, nil) } == "INVALID_PHONE_NUMBER : Invalid format.")
        let late = await refusal {
            try await bench.enrollment.finalize(
                .phone(sessionInfo: twice, code: Codes.code),
                idToken: idToken,
                displayName: nil,
                context: bench.context
            )
        }
        #expect(late == exists)
        let credential = try await bench.pending()
        let missing = await refusal {
            try await bench.signIn.start(credential: credential, enrollmentID: "x", proof: AppProof(), context: bench.context)
        }
        #expect(missing == "MFA_ENROLLMENT_NOT_FOUND")
        let elsewhere = await refusal {
            try await bench.signIn.start(
                credential: credential,
                enrollmentID: "x",
                proof: AppProof(),
                context: CallContext(scope: Scope(projectID: "q"))
            )
        }
        #expect(elsewhere == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
        // The factor was withdrawn while its code was on the way.
        let account = try await bench.database.read { try $0.account(Self.scope, localID: "u") }
        let enrollmentID = try #require(account?.secondFactors.first?.enrollmentID)
        let sessionInfo = try await bench.signIn.start(
            credential: credential,
            enrollmentID: enrollmentID,
            proof: AppProof(),
            context: bench.context
        )
        try await bench.database.write { transaction throws in
            var account = try require(try transaction.account(Self.scope, localID: "u"), .userNotFound)
            account.secondFactors = []
            try transaction.updateAccount(Self.scope, account)
        }
        #expect(await refusal { try await bench.show(credential, sessionInfo) } == "MFA_ENROLLMENT_NOT_FOUND")
        // Session and code are looked at first, whatever factors are left.
        #expect(await refusal { try await bench.show(credential, sessionInfo, code: "000000") } == "INVALID_CODE")
        #expect(await refusal { try await bench.show(credential, "nothing") } == "INVALID_SESSION_INFO")
    }

    @Test("a credential of one project is refused in another, with an error of its own")
    func foreignProject() async throws {
        let bench = try await Bench()
        _ = try await bench.enroll(try await bench.idToken(), Self.number)
        let credential = try await bench.pending()
        let other = Scope(projectID: "q")
        let config = ResourceRecord(
            kind: .config,
            resourceID: "",
            document: ["mfa": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]]]
        )
        let now = bench.clock.now
        try await bench.database.write { try $0.putResource(other, config, at: now) }
        let refused = await refusal {
            try await bench.signIn.start(
                credential: credential,
                enrollmentID: "x",
                proof: AppProof(),
                context: CallContext(scope: other)
            )
        }
        #expect(refused == "INVALID_PROJECT_ID : Project ID does not match MFA pending credential.")
    }
}
