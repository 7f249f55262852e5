package import Accounts
package import Project
import Storage

/// The only wire form of an account (`Docs/Contract/client-accounts.md` §0.2).
struct AccountJSON: Codable {
    private let localId: String
    private let email: String?
    private let emailVerified: Bool?
    private let initialEmail: String?
    private let phoneNumber: String?
    private let displayName: String?
    private let photoUrl: String?
    private let screenName: String?
    private let language: String?
    private let dateOfBirth: String?
    private let timeZone: String?
    private let passwordHash: String?
    private let salt: String?
    private let version: Int?
    private let passwordUpdatedAt: Int64?
    private let providerUserInfo: [ProviderUserInfo]?
    private let validSince: String?
    private let disabled: Bool?
    private let lastLoginAt: String?
    private let createdAt: String
    private let lastRefreshAt: String?
    private let customAuth: Bool?
    private let customAttributes: String?
    private let emailLinkSignin: Bool?
    private let mfaInfo: [MFAInfoJSON]?
    private let passkeyInfo: [PasskeyInfo]?
    private let tenantId: String?

    /// `REDACTED` in base64, which tells SDKs that there is a password (`Docs/Contract/client-accounts.md` §0.2).
    static let redactedPasswordHash = "UkVEQUNURUQ="

    /// - Parameter showsHash: Whether the caller may see the password hash; other callers see only that there is one.
    init(_ view: AccountView, showsHash: Bool = false) {
        let account = view.account
        localId = account.localID
        email = account.email
        emailVerified = account.emailVerified
        initialEmail = account.initialEmail
        phoneNumber = account.phoneNumber
        displayName = account.displayName
        photoUrl = account.photoURL
        screenName = account.screenName
        language = account.language
        dateOfBirth = account.dateOfBirth
        timeZone = account.timeZone
        let exported = showsHash ? view.exportedPassword : nil
        passwordHash = exported?.hash ?? account.passwordHash.map { _ in Self.redactedPasswordHash }
        salt = exported?.salt
        version = exported?.version
        passwordUpdatedAt = account.passwordUpdatedAt?.milliseconds
        providerUserInfo = ProviderUserInfo.shown(of: view)
        validSince = account.validSince.map { String($0) }
        disabled = account.isDisabled ? true : account.showsEnabled ? false : nil
        lastLoginAt = account.lastLoginAt.map { String($0.milliseconds) }
        createdAt = String(account.createdAt.milliseconds)
        lastRefreshAt = account.lastRefreshAt?.rfc3339
        customAuth = account.hasCustomAuth ? true : nil
        customAttributes = account.customAttributes
        emailLinkSignin = account.hasEmailLinkSignIn ? true : nil
        mfaInfo =
            account.secondFactors.isEmpty && !account.showsNoSecondFactors
            ? nil : account.secondFactors.map { MFAInfoJSON($0, isObfuscated: false) }
        passkeyInfo = view.passkeys.isEmpty ? nil : view.passkeys.map(PasskeyInfo.init)
        tenantId = view.scope.tenantID
    }
}

/// An entry of `passkeyInfo` (`Docs/Contract/phone-and-mfa.md` §9).
struct PasskeyInfo: Codable {
    private let credentialId: String
    private let name: String

    init(_ passkey: PasskeyRecord) {
        credentialId = passkey.credentialID
        name = passkey.name
    }
}

/// An entry of `providerUserInfo` (`Docs/Contract/client-accounts.md` §0.3).
struct ProviderUserInfo: Codable {
    private let providerId: String
    private let rawId: String
    private var federatedId: String?
    private var displayName: String?
    private var photoUrl: String?
    private var email: String?
    private var phoneNumber: String?
    private var screenName: String?

    /// The entries for an answer: `nil` for none, unless the account shows an empty list.
    static func shown(of view: AccountView) -> [ProviderUserInfo]? {
        let entries = entries(of: view)
        return entries.isEmpty && !view.account.showsNoProviders ? nil : entries
    }

    /// The linked identities and `password` in the order of their addition, then `phone`. The last two mirror fields of the
    /// account.
    static func entries(of view: AccountView) -> [ProviderUserInfo] {
        let account = view.account
        var entries = view.identities.map { identity in
            ProviderUserInfo(
                providerId: identity.providerID,
                rawId: identity.rawID,
                federatedId: identity.rawID,
                displayName: identity.displayName,
                photoUrl: identity.photoURL,
                email: identity.email,
                screenName: identity.screenName
            )
        }
        if let email = account.email, account.passwordHash != nil || account.hasEmailLinkSignIn {
            entries.insert(
                ProviderUserInfo(
                    providerId: "password",
                    rawId: email,
                    federatedId: email,
                    displayName: account.displayName,
                    photoUrl: account.photoURL,
                    email: email
                ),
                at: account.identitiesBeforePassword(view.identities)
            )
        }
        if let number = account.phoneNumber {
            entries.append(ProviderUserInfo(providerId: "phone", rawId: number, phoneNumber: number))
        }
        return entries
    }
}

extension AccountView {
    /// The account as `batchGet` shows it to a full administrator, with the password hash.
    package func userInfo() throws -> JSONValue {
        try JSONValue.parse(try AnswerEncoder.encode(AccountJSON(self, showsHash: true)))
    }
}
