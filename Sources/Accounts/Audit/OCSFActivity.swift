import Project
import Storage

extension OCSFActivity {
    // Refusals of other codes are of calls that are no logon.
    private static let refusedLogons: Set<String> = [
        "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "USER_DISABLED", "TOO_MANY_ATTEMPTS_TRY_LATER",
        "PASSWORD_LOGIN_DISABLED", "INVALID_CODE", "SESSION_EXPIRED",
        // Of operators.
        "wrongCredentials", "passkeyRefused", "ceremonyEnded", "wrongCode", "tooManyAttempts", "invitationEnded",
    ]

    init(_ event: AuditEvent) {
        self =
            switch event.kind {
            case .refused: .authentication(Self.isLogon(event) ? .logon : .other)
            case .update: Self.update(event)
            case let kind: kind?.facts.activity ?? (event.localID == nil ? .entity(.other) : .account(.other))
            }
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
}
