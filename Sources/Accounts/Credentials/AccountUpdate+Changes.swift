import Project
import Storage

extension AccountUpdate {
    /// An attribute that can be deleted.
    package enum Attribute: Sendable, Hashable {
        case email
        case displayName
        case provider
        case photoURL
        case password
    }

    /// The changes to an account; `nil` leaves a field unchanged.
    package struct Changes: Sendable {
        /// The new value; empty clears it.
        package var displayName: String?
        /// The new value; empty clears it.
        package var photoURL: String?
        /// The new address, as sent.
        package var email: String?
        /// The new password, as sent.
        package var password: String?
        package var deletedAttributes: [Attribute] = []
        package var deletedProviders: [String] = []
        /// Passkeys to remove, by credential id.
        package var deletedPasskeys: [String] = []
        /// Ends every session that began before this second.
        package var validSince: ValidSince?
        /// Administrators only; refused beside an ID token.
        package var isDisabled: Bool?
        /// Administrators only: a JSON object's text, already validated.
        package var customAttributes: String?
        /// Administrators only: their further changes.
        package var admin: AdminChanges?

        package init() {}

        /// The part of the changes that applies beside a code; `nil` when no change does.
        package var providersOnly: Changes? {
            guard !deletedProviders.isEmpty || admin?.link != nil else { return nil }
            var changes = Changes()
            changes.deletedProviders = deletedProviders
            changes.admin = admin?.linkOnly
            return changes
        }
    }

    /// The new value of ``Changes/validSince``.
    package enum ValidSince: Sendable {
        case now
        case seconds(Int64)
    }
}

extension AccountUpdate.Changes {
    /// Checks the bounds of all values, for users and administrators alike.
    func check(_ mode: ModeRules) throws {
        try ProfileLimits.check(displayName, named: "displayName", atMost: ProfileLimits.displayName, mode)
        try ProfileLimits.check(photoURL, named: "photoUrl", atMost: ProfileLimits.photoURL, mode)
        if case .seconds(let seconds) = validSince { try Timestamp(seconds: seconds).checkCalendar(named: "validSince") }
        try admin?.createdAt?.checkCalendar(named: "createdAt")
        try admin?.lastLoginAt?.checkCalendar(named: "lastLoginAt")
        for enrollment in admin?.enrollments ?? [] { try enrollment.check(mode) }
        guard let link = admin?.link else { return }
        for (name, text, length) in [
            ("displayName", link.displayName, ProfileLimits.displayName), ("photoUrl", link.photoURL, ProfileLimits.photoURL),
            ("screenName", link.screenName, ProfileLimits.other),
        ] {
            try ProfileLimits.check(text, named: "linkProviderUserInfo.\(name)", atMost: length, mode)
        }
    }

    /// The identity providers to unlink; `password` and `phone` are fields of the account, not identities.
    var unlinkedProviders: [String] { deletedProviders.filter { $0 != "password" && $0 != "phone" } }

    /// Whether the changes remove something that the user signs in with.
    var removesWaysIn: Bool {
        !deletedProviders.isEmpty || !deletedPasskeys.isEmpty
            || deletedAttributes.contains { [.email, .password, .provider].contains($0) }
    }

    /// Whether the changes only remove something or end sessions.
    var onlyRemove: Bool { !addBesidePassword && password == nil }

    /// Whether the changes add or replace something other than the password.
    var addBesidePassword: Bool {
        !(displayName?.isEmpty ?? true) || !(photoURL?.isEmpty ?? true) || email != nil || isDisabled != nil
            || customAttributes != nil
            || admin != nil
    }

    func apply(
        to account: inout AccountRecord,
        at time: Timestamp,
        changesCredentials: Bool,
        isSession: Bool,
        _ mode: ModeRules
    ) {
        if let displayName { account.displayName = displayName.isEmpty ? nil : displayName }
        if let photoURL { account.photoURL = photoURL.isEmpty ? nil : photoURL }
        for attribute in deletedAttributes {
            switch attribute {
            case .email: clearEmail(&account, staysProven: isSession && mode.keepsAddressProofs, at: time)
            case .displayName: account.displayName = nil
            case .photoURL: account.photoURL = nil
            case .password: account.losePassword()
            case .provider: break
            }
        }
        if deletedProviders.contains("password") {
            // The emulator removes the address with the password; Firebase keeps it (`Docs/Contract/rulings.md` 27).
            if !mode.keepsAddressWithoutPassword { clearEmail(&account, staysProven: false, at: time) }
            account.hasEmailLinkSignIn = false
            account.losePassword()
        }
        if deletedProviders.contains("phone") { account.phoneNumber = nil }
        if let isDisabled { account.isDisabled = isDisabled }
        if let customAttributes { account.customAttributes = customAttributes }
        switch validSince {
        case .now: account.endTokens(at: time)
        case .seconds(let seconds): account.validSince = seconds
        case nil: break
        }
        // If both set a time, the later one counts (threat case SES-13).
        if changesCredentials { account.endTokens(at: time) }
    }

    enum EndedSessions {
        case none
        /// Those that began before this time.
        case begunBefore(Timestamp)
        case all
    }

    func endedSessions(at time: Timestamp, changesCredentials: Bool) -> EndedSessions {
        if changesCredentials || isDisabled == true { return .all }
        switch validSince {
        case nil: return .none
        case .now: return .all
        case .seconds(let seconds):
            // A time in the past ends every session of its own second too, because the order within a second is unknown. A time
            // near now ends all sessions, because the Admin SDKs send their own host's time.
            let limit = Timestamp(seconds: seconds).advanced(by: .seconds(1))
            return limit.advanced(by: ClockSkew.betweenNodes) > time ? .all : .begunBefore(limit)
        }
    }

    // The time of the proof stays when the user removes the address, so that a session alone cannot set another one
    // (`Docs/Contract/rulings.md` 36).
    private func clearEmail(_ account: inout AccountRecord, staysProven: Bool, at time: Timestamp) {
        if staysProven, account.hadProvenAddress {
            account.emailProvenAt = account.emailProvenAt ?? time
        } else {
            account.forgetAddressProof()
        }
        account.email = nil
        account.emailVerified = nil
        account.hasEmailLinkSignIn = false
    }
}
