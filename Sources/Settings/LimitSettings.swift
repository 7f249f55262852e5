import Project

/// `limits.*`: throttles and lifetimes (`Docs/Configuration.md#limits`). The names contain the unit.
package struct LimitSettings: Sendable {
    /// How long after a sign-in it counts as recent.
    package let recentLoginSeconds: Int
    /// How long after a sign-in another sign-in method may be linked; 0 for no limit.
    package let linkRecentLoginSeconds: Int
    package let pendingTokenSeconds: Int
    /// Lifetime of a `createAuthUri` flow.
    package let authorizationSeconds: Int
    /// Lifetime of an `mfaPendingCredential`.
    package let mfaPendingSeconds: Int
    package let temporaryProofSeconds: Int
    /// Sessions that one user may have. Beyond this, the least recently used one ends.
    package let sessionsPerUser: Int
    /// Days without use after which a session ends; 0 for no limit.
    package let sessionIdleDays: Int
    /// Days for which audit events are kept.
    package let auditDays: Int
    /// `limits.auditDaysByClass.*`.
    package let auditDaysByClass: AuditDays
    /// `limits.oob.*`.
    package let oob: OutOfBand
    /// `limits.phone.*`.
    package let phone: Phone
    /// `limits.signUp.*`.
    package var signUp: SignUp
    /// `limits.signIn.*`.
    package var signIn: SignIn
    /// `limits.password.*`.
    package var password: Password
    /// `limits.email.*`.
    package var email: Email
    /// `limits.account.*`.
    package var account: Account
    /// `limits.connections.*`.
    package let connections: Connections
    /// `limits.bodies.*`.
    package let bodies: Bodies

    init(_ reader: SettingsReader) {
        recentLoginSeconds = reader.value(
            "recentLoginSeconds",
            .seconds,
            default: 300,
            "age of a sign-in that still counts as recent"
        )
        linkRecentLoginSeconds = reader.value(
            "linkRecentLoginSeconds",
            .integer(in: 0...315_360_000),
            default: 0,
            otherwise: "`0` (any age)",
            "age of a sign-in with which a provider, a phone number or an e-mail link may still be linked"
        )
        pendingTokenSeconds = reader.value("pendingTokenSeconds", .seconds, default: 600, "lifetime of a `pendingToken`")
        authorizationSeconds = reader.value(
            "authorizationSeconds",
            .seconds,
            default: 600,
            "lifetime of a flow begun by `createAuthUri`"
        )
        mfaPendingSeconds = reader.value("mfaPendingSeconds", .seconds, default: 300, "lifetime of an `mfaPendingCredential`")
        temporaryProofSeconds = reader.value("temporaryProofSeconds", .seconds, default: 3600, "lifetime of a `temporaryProof`")
        sessionsPerUser = reader.value(
            "sessionsPerUser",
            .count,
            default: 100,
            "sessions one user may have; the oldest unused one ends"
        )
        sessionIdleDays = reader.value(
            "sessionIdleDays",
            .integer(in: 0...3650),
            default: 0,
            otherwise: "`0` (never)",
            "days without use after which a session ends"
        )
        auditDays = reader.value("auditDays", .auditDays, default: 400, "days for which the audit trail is kept")
        auditDaysByClass = AuditDays(reader.section("auditDaysByClass"), otherwise: auditDays)
        oob = OutOfBand(reader.section("oob"))
        phone = Phone(reader.section("phone"))
        signUp = SignUp(reader.section("signUp"))
        signIn = SignIn(reader.section("signIn"))
        password = Password(reader.section("password"))
        email = Email(reader.section("email"))
        account = Account(reader.section("account"))
        connections = Connections(reader.section("connections"))
        bodies = Bodies(reader.section("bodies"))
    }
}

extension LimitSettings {
    /// `limits.auditDaysByClass.*`: how long each class of audit records is kept.
    package struct AuditDays: Sendable {
        package let signIn: Int
        package let refusal: Int
        package let account: Int
        package let administration: Int

        init(_ reader: SettingsReader, otherwise days: Int) {
            func read(_ name: String, _ meaning: String) -> Int {
                let own = reader.optional(
                    name,
                    .auditDays,
                    otherwise: "`limits.auditDays`",
                    "days for which records \(meaning) are kept"
                )
                return own ?? days
            }
            signIn = read("signIn", "of sign-ins")
            refusal = read("refusal", "of refusals")
            account = read("account", "of what else users do")
            administration = read("administration", "of what administrators and commands do")
        }
    }

    /// `limits.oob.*`: lifetimes of codes sent by e-mail.
    package struct OutOfBand: Sendable {
        /// `PASSWORD_RESET`.
        package let passwordResetSeconds: Int
        /// `EMAIL_SIGNIN`.
        package let emailSigninSeconds: Int
        /// `VERIFY_EMAIL`.
        package let verifyEmailSeconds: Int
        /// `VERIFY_AND_CHANGE_EMAIL`.
        package let changeEmailSeconds: Int
        /// `RECOVER_EMAIL`.
        package let recoverEmailSeconds: Int

        init(_ reader: SettingsReader) {
            passwordResetSeconds = reader.value(
                "passwordResetSeconds",
                .seconds,
                default: 3600,
                "lifetime of a `PASSWORD_RESET` code"
            )
            emailSigninSeconds = reader.value(
                "emailSigninSeconds",
                .seconds,
                default: 21600,
                "lifetime of an `EMAIL_SIGNIN` code"
            )
            verifyEmailSeconds = reader.value(
                "verifyEmailSeconds",
                .seconds,
                default: 259200,
                "lifetime of a `VERIFY_EMAIL` code"
            )
            changeEmailSeconds = reader.value(
                "changeEmailSeconds",
                .seconds,
                default: 259200,
                "lifetime of a `VERIFY_AND_CHANGE_EMAIL` code"
            )
            recoverEmailSeconds = reader.value(
                "recoverEmailSeconds",
                .seconds,
                default: 2_592_000,
                "lifetime of a `RECOVER_EMAIL` code"
            )
        }
    }

    /// `limits.phone.*`: text message codes.
    package struct Phone: Sendable {
        package let codeSeconds: Int
        /// Time within which a second request repeats the first.
        package let resendSeconds: Int
        /// Wrong codes until a session is invalid.
        package let maxTries: Int
        package let perNumberPerHour: Int
        /// Messages requested from one network address in an hour.
        package let perAddressPerHour: Int
        /// Messages to one number prefix in an hour.
        package let perPrefixPerHour: Int
        package let perDay: Int

        init(_ reader: SettingsReader) {
            codeSeconds = reader.value("codeSeconds", .seconds, default: 600, "lifetime of a text message code")
            resendSeconds = reader.value(
                "resendSeconds",
                .seconds,
                default: 60,
                "time within which a second request repeats the first"
            )
            maxTries = reader.value("maxTries", .integer(in: 1...100), default: 5, "wrong codes before a session is dead")
            perNumberPerHour = reader.value("perNumberPerHour", .count, default: 5, "messages to one number")
            perAddressPerHour = reader.value("perAddressPerHour", .count, default: 50, "messages from one network address")
            perPrefixPerHour = reader.value("perPrefixPerHour", .count, default: 100, "messages to one number prefix")
            perDay = reader.value("perDay", .count, default: 10000, "messages altogether")
        }
    }

    /// `limits.signUp.*`: new accounts.
    package struct SignUp: Sendable {
        /// New accounts from one network address in an hour.
        package var perAddressPerHour: Int

        init(_ reader: SettingsReader) {
            perAddressPerHour = reader.value("perAddressPerHour", .count, default: 100, "sign-ups from one network address")
        }
    }

    /// `limits.signIn.*`: credentials that other servers are asked about.
    package struct SignIn: Sendable {
        /// Calls of other servers for one network address that came to nothing, in an hour.
        package var refusedCallsPerAddressPerHour: Int

        init(_ reader: SettingsReader) {
            refusedCallsPerAddressPerHour = reader.value(
                "refusedCallsPerAddressPerHour",
                .count,
                default: 300,
                "credentials and reCAPTCHA tokens from one network address that another server had to be asked about and refused"
            )
        }
    }

    /// `limits.password.*`: wrong passwords.
    package struct Password: Sendable {
        /// Failures in a row on one account before delays begin.
        package var failuresPerAccount: Int
        package var failuresPerAddressPerHour: Int

        init(_ reader: SettingsReader) {
            failuresPerAccount = reader.value(
                "failuresPerAccount",
                .integer(in: 1...100),
                default: 10,
                "wrong passwords in a row before delays begin to grow"
            )
            failuresPerAddressPerHour = reader.value(
                "failuresPerAddressPerHour",
                .count,
                default: 200,
                "wrong passwords from one network address"
            )
        }
    }

    /// `limits.email.*`: messages sent.
    package struct Email: Sendable {
        package var perRecipientPerHour: Int
        /// Messages requested from one network address in an hour.
        package var perAddressPerHour: Int

        init(_ reader: SettingsReader) {
            perRecipientPerHour = reader.value("perRecipientPerHour", .count, default: 5, "messages to one recipient")
            perAddressPerHour = reader.value("perAddressPerHour", .count, default: 100, "messages from one network address")
        }
    }
}

extension LimitSettings {
    /// `limits.account.*`: changes that users make to their own accounts.
    package struct Account: Sendable {
        /// Changes in an hour by the sessions of one sign-in.
        package var changesPerHour: Int

        init(_ reader: SettingsReader) {
            changesPerHour = reader.value(
                "changesPerHour",
                .count,
                default: 200,
                "changes that one sign-in of an account may make to it; all together twice as many"
            )
        }
    }
}

extension ValueForm<Int> {
    /// A lifetime of at most ten years, so that adding it to a clock never overflows.
    fileprivate static var seconds: ValueForm { .integer(in: 1...315_360_000) }

    /// A number of events.
    fileprivate static var count: ValueForm { .integer(in: 1...1_000_000_000) }

    /// How long the audit trail is kept.
    fileprivate static var auditDays: ValueForm { .integer(in: 1...36_500) }
}
