import Project
import Storage

/// The changes of an account that the web hook reports.
enum AccountEvent: Sendable, Hashable {
    case created
    case deleted
    /// `password` and `phone` stand for fields of the account.
    case linked(providerID: String)
    case unlinked(providerID: String)
    case signedIn(provider: String, secondFactor: String?)
    case passwordChanged
    case mfaEnrolled(SecondFactor)
    case mfaWithdrawn(SecondFactor)
    /// Every session of the account was ended.
    case sessionsRevoked

    /// The type without its prefix `user.`.
    var name: String {
        switch self {
        case .created: "created"
        case .deleted: "deleted"
        case .linked: "linked"
        case .unlinked: "unlinked"
        case .signedIn: "signedIn"
        case .passwordChanged: "passwordChanged"
        case .mfaEnrolled: "mfaEnrolled"
        case .mfaWithdrawn: "mfaWithdrawn"
        case .sessionsRevoked: "sessionsRevoked"
        }
    }

    /// The event's content besides its type, without secrets.
    func data(of account: AccountRecord) -> JSONValue {
        switch self {
        case .created, .deleted: account.profile
        case .linked(let providerID), .unlinked(let providerID): ["providerId": .string(providerID)]
        case .signedIn(let provider, let secondFactor):
            secondFactor.map { ["providerId": .string(provider), "secondFactor": .string($0)] } ?? [
                "providerId": .string(provider)
            ]
        case .mfaEnrolled(let factor), .mfaWithdrawn(let factor):
            ["mfaEnrollmentId": .string(factor.enrollmentID), "factorId": .string(factor.kindName)]
        case .passwordChanged, .sessionsRevoked: [:]
        }
    }

    static func changes(
        from old: (account: AccountRecord, identities: [IdentityRecord]),
        to new: (account: AccountRecord, identities: [IdentityRecord]),
        revokesSessions: Bool
    ) -> [AccountEvent] {
        let (before, after) = (providers(old.account, old.identities), providers(new.account, new.identities))
        var events = after.filter { !before.contains($0) }.map { AccountEvent.linked(providerID: $0) }
        events += before.filter { !after.contains($0) }.map { .unlinked(providerID: $0) }
        if let hash = new.account.passwordHash, hash != old.account.passwordHash { events.append(.passwordChanged) }
        let (oldFactors, newFactors) = (old.account.secondFactors, new.account.secondFactors)
        func isMissing(_ factor: SecondFactor, _ factors: [SecondFactor]) -> Bool {
            !factors.contains { $0.enrollmentID == factor.enrollmentID }
        }
        events += newFactors.filter { isMissing($0, oldFactors) }.map { .mfaEnrolled($0) }
        events += oldFactors.filter { isMissing($0, newFactors) }.map { .mfaWithdrawn($0) }
        return revokesSessions ? events + [.sessionsRevoked] : events
    }

    private static func providers(_ account: AccountRecord, _ identities: [IdentityRecord]) -> [String] {
        let hasPassword = account.passwordHash != nil || account.hasEmailLinkSignIn
        return identities.map(\.providerID) + (hasPassword ? ["password"] : [])
            + (account.phoneNumber == nil ? [] : ["phone"])
    }
}

extension AccountRecord {
    fileprivate var profile: JSONValue {
        var profile: JSONObject = [
            "disabled": .bool(isDisabled), "emailVerified": .bool(emailVerified ?? false),
            "createdAt": .string(createdAt.rfc3339),
        ]
        profile["email"] = email.map(JSONValue.string)
        profile["displayName"] = displayName.map(JSONValue.string)
        profile["photoUrl"] = photoURL.map(JSONValue.string)
        profile["phoneNumber"] = phoneNumber.map(JSONValue.string)
        return .object(profile)
    }
}
