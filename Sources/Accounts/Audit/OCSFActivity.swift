import Project
import Storage

/// The class and activity of an audit record in the Open Cybersecurity Schema Framework 1.3.0.
struct OCSFActivity: Sendable, Equatable {
    let classUID: Int64
    let id: Int64

    /// Authentication (3002).
    enum Authentication: Int64 { case logon = 1, logoff, ticket, preauthentication = 6, other = 99 }

    /// Account Change (3001).
    enum Account: Int64 {
        case create = 1, enable, passwordChange, passwordReset, disable, delete
        case factorEnable = 10
        case factorDisable, other = 99
    }

    /// Entity Management (3004): configuration, credentials, and whatever else is no account.
    enum Entity: Int64 { case create = 1, read, update, delete, other = 99 }

    static func authentication(_ activity: Authentication) -> OCSFActivity { .init(classUID: 3002, id: activity.rawValue) }

    static func account(_ activity: Account) -> OCSFActivity { .init(classUID: 3001, id: activity.rawValue) }

    static func entity(_ activity: Entity) -> OCSFActivity { .init(classUID: 3004, id: activity.rawValue) }

    private static let named: [String: OCSFActivity] = [
        "signIn": .authentication(.logon), "serviceAccountToken": .authentication(.logon),
        "serviceAccountRefused": .authentication(.logon), "operatorSignedIn": .authentication(.logon),
        "operatorConfirmed": .authentication(.logon), "sessionRevoked": .authentication(.logoff),
        "revokeToken": .authentication(.logoff), "operatorSignedOut": .authentication(.logoff),
        "operatorSessionsEnded": .authentication(.logoff), "createSessionCookie": .authentication(.ticket),
        "firstFactor": .authentication(.preauthentication), "signUp": .account(.create), "create": .account(.create),
        "import": .account(.create), "operatorEnrolled": .account(.create), "disabledByFunction": .account(.disable),
        "delete": .account(.delete), "operatorRemoved": .account(.delete), "passwordReset": .account(.passwordReset),
        "operatorPasswordSet": .account(.passwordChange), "mfaEnrollment": .account(.factorEnable),
        "operatorPasskeyAdded": .account(.factorEnable), "mfaWithdrawal": .account(.factorDisable),
        "revertSecondFactorAddition": .account(.factorDisable), "operatorPasskeyRemoved": .account(.factorDisable),
        "operatorPasswordRemoved": .account(.factorDisable),
        // The link to a provider and the hold on an address are things of their own.
        "unlink": .entity(.delete), "releaseEmail": .entity(.delete), "export": .entity(.read), "auditExported": .entity(.read),
        "backupDownloaded": .entity(.read), "operatorInvited": .entity(.create), "operatorRoleChanged": .entity(.update),
        "approvalRequested": .entity(.create), "approvalGiven": .entity(.update), "approvalRejected": .entity(.delete),
        "accountsCleared": .entity(.delete),
    ]

    // The endings of the other names.
    private static let endings: [(text: String, activity: Entity)] = [
        ("Created", .create), ("Added", .create), ("Made", .create), ("Saved", .create), ("Updated", .update),
        ("Rotated", .update), ("Deleted", .delete), ("Revoked", .delete), ("Removed", .delete), ("Withdrawn", .delete),
    ]

    // Refusals of other codes are of calls that are no logon.
    private static let refusedLogons: Set<String> = [
        "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "USER_DISABLED", "TOO_MANY_ATTEMPTS_TRY_LATER",
        "PASSWORD_LOGIN_DISABLED", "INVALID_CODE", "SESSION_EXPIRED",
        // Of operators.
        "wrongCredentials", "passkeyRefused", "ceremonyEnded", "wrongCode", "tooManyAttempts", "invitationEnded",
    ]

    /// Finds the activity of an event.
    init(_ event: AuditEvent) {
        let found: OCSFActivity =
            switch event.event {
            case AuditEvent.refused: .authentication(Self.isLogon(event) ? .logon : .other)
            case "update": Self.update(event)
            case let name: Self.named[name] ?? Self.byEnding(name) ?? (event.localID == nil ? .entity(.other) : .account(.other))
            }
        self = found
    }

    private init(classUID: Int64, id: Int64) {
        self.classUID = classUID
        self.id = id
    }

    private static func isLogon(_ event: AuditEvent) -> Bool {
        event.detail?["provider"] != nil || event.detail?["code"]?.string.map(refusedLogons.contains) == true
    }

    // One update may do several things. What takes away comes first.
    private static func update(_ event: AuditEvent) -> OCSFActivity {
        let changed = event.detail?["changed"]
        if let isDisabled = changed?["disabled"] { return .account(isDisabled == true ? .disable : .enable) }
        if changed?["factorsRemoved"] != nil { return .account(.factorDisable) }
        if event.detail?["passkeys"] != nil { return .account(.factorDisable) }
        let fields = event.detail?["fields"]?.array ?? []
        if event.detail?["providers"] != nil || fields.contains("deleteAttribute") { return .entity(.delete) }
        if changed?["factorsAdded"] != nil { return .account(.factorEnable) }
        if fields.contains("password") { return .account(.passwordChange) }
        return fields.contains("validSince") ? .authentication(.logoff) : .account(.other)
    }

    private static func byEnding(_ name: String) -> OCSFActivity? {
        endings.first { name.hasSuffix($0.text) }.map { .entity($0.activity) }
    }
}
