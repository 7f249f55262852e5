import Project
import Storage
import Tokens

/// The members of an account that an import brings, each as one text that can be compared with another of the same member. Members
/// without a value are absent.
struct ImportedMembers: Sendable {
    /// A member by its name in the API. Each provider is one of its own.
    enum Name {
        static let email = "email"
        static let emailVerified = "emailVerified"
        static let initialEmail = "initialEmail"
        static let phoneNumber = "phoneNumber"
        static let password = "passwordHash"
        static let displayName = "displayName"
        static let photoURL = "photoUrl"
        static let screenName = "screenName"
        static let language = "language"
        static let dateOfBirth = "dateOfBirth"
        static let timeZone = "timeZone"
        static let disabled = "disabled"
        static let customAuth = "customAuth"
        static let emailLinkSignIn = "emailLinkSignin"
        static let customAttributes = "customAttributes"
        static let createdAt = "createdAt"
        static let lastLoginAt = "lastLoginAt"
        static let validSince = "validSince"
        static let secondFactors = "mfaInfo"

        private static let providers = "providerUserInfo."

        static func provider(_ id: String) -> String { providers + id }

        /// The provider that a member is about; `nil` for other members.
        static func provider(of name: String) -> String? {
            name.hasPrefix(providers) ? String(name.dropFirst(providers.count)) : nil
        }
    }

    private(set) var values: [String: String] = [:]

    /// Of a row.
    ///
    /// - Parameter password: The stored form of its hash.
    init(_ row: ImportedAccount, password: String?, mode: ModeRules) {
        values[Name.email] = row.email.map { EmailAddress.canonical($0, mode: mode) ?? $0 }
        values[Name.initialEmail] = row.initialEmail.flatMap { EmailAddress.canonical($0, mode: mode) }
        values[Name.phoneNumber] = row.phoneNumber.map { PhoneNumber.kept($0, mode: mode) ?? $0 }
        // A plain password has another hash each time.
        values[Name.password] = row.passwordHash == nil ? row.rawPassword.map { "plain:" + $0 } : password
        values[Name.displayName] = row.displayName
        values[Name.photoURL] = row.photoURL
        values[Name.screenName] = row.screenName
        values[Name.language] = row.language
        values[Name.dateOfBirth] = row.dateOfBirth
        values[Name.timeZone] = row.timeZone
        values[Name.customAttributes] = row.customAttributes
        values[Name.createdAt] = row.createdAt.map { String($0.milliseconds) }
        values[Name.lastLoginAt] = row.lastLoginAt.map { String($0.milliseconds) }
        values[Name.validSince] = row.validSince.map { String($0) }
        set(emailVerified: row.emailVerified, row.isDisabled, row.hasCustomAuth, emailLink: row.hasEmailLinkSignIn)
        set(row.enrollments.map { (PhoneNumber.kept($0.phoneInfo, mode: mode) ?? $0.phoneInfo ?? "", $0.displayName) })
        for provider in row.providers where !provider.isDerived {
            guard let (id, rawID) = provider.identifier(mode: mode) else { continue }
            set(id, [rawID, provider.email, provider.displayName, provider.photoURL, provider.screenName])
        }
    }

    init(_ account: AccountRecord, _ identities: [IdentityRecord]) {
        values[Name.email] = account.email
        values[Name.initialEmail] = account.initialEmail
        values[Name.phoneNumber] = account.phoneNumber
        values[Name.password] = account.passwordHash
        values[Name.displayName] = account.displayName
        values[Name.photoURL] = account.photoURL
        values[Name.screenName] = account.screenName
        values[Name.language] = account.language
        values[Name.dateOfBirth] = account.dateOfBirth
        values[Name.timeZone] = account.timeZone
        values[Name.customAttributes] = account.customAttributes
        set(
            emailVerified: account.emailVerified == true,
            account.isDisabled,
            account.hasCustomAuth,
            emailLink: account.hasEmailLinkSignIn
        )
        set(account.secondFactors.compactMap { factor in factor.phoneNumber.map { ($0, factor.displayName) } })
        for identity in identities {
            set(
                identity.providerID,
                [identity.rawID, identity.email, identity.displayName, identity.photoURL, identity.screenName]
            )
        }
    }

    private mutating func set(emailVerified: Bool, _ isDisabled: Bool, _ hasCustomAuth: Bool, emailLink: Bool) {
        for (name, flag) in [
            (Name.emailVerified, emailVerified), (Name.disabled, isDisabled), (Name.customAuth, hasCustomAuth),
            (Name.emailLinkSignIn, emailLink),
        ] where flag {
            values[name] = "true"
        }
    }

    private mutating func set(_ factors: [(number: String, name: String?)]) {
        guard !factors.isEmpty else { return }
        let entries = factors.map { [$0.number, $0.name ?? ""] }.sorted { $0[0] < $1[0] }
        values[Name.secondFactors] = JSONValue.array(entries.map { .array($0.map(JSONValue.string)) }).text
    }

    private mutating func set(_ providerID: String, _ texts: [String?]) {
        values[Name.provider(providerID)] = JSONValue.array(texts.map { .string($0 ?? "") }).text
    }

    /// Digests of the values under one key.
    struct Digests: Sendable {
        /// Tells which key made them.
        let keyCheck: String
        let digests: [String: String]
    }

    private static let digestBytes = 16

    /// The keyed digest of each member, under the master key and under the previous one.
    func digests(of localID: String, _ scope: Scope, _ sealer: TokenSealer) throws -> [Digests] {
        func codes(_ parts: [String]) throws -> [String] {
            let text = JSONValue.array(parts.map(JSONValue.string)).text
            return try sealer.authenticationCodes(of: text.utf8, for: .importDigest)
                .map { Base64URL.encode($0.prefix(Self.digestBytes)) }
        }
        let account = [scope.projectID, scope.tenantKey, localID]
        let checks = try codes([])
        let all = try values.map { name, value in (name, try codes(account + [name, value])) }
        return checks.enumerated().map { index, check in
            Digests(keyCheck: check, digests: Dictionary(uniqueKeysWithValues: all.map { ($0, $1[index]) }))
        }
    }
}
