package import Project
import Storage

/// What a search for accounts asks for. All conditions that are set must hold; a query without any finds every account.
///
/// Texts are compared as bytes, and no character of them is a wildcard.
package struct AccountQuery: Sendable, Hashable {
    package var localID: String?
    /// The beginning of the address, in any case.
    package var emailPrefix: String?
    /// The number, or its beginning: E.164 with the plus sign.
    package var phonePrefix: String?
    /// The beginning of the displayed name. The case of ASCII letters does not matter, that of others does.
    package var namePrefix: String?
    package var identity: Identity?
    package var claim: Claim?
    package var isDisabled: Bool?
    /// Whether the address is verified; accounts without an address are not.
    package var isVerified: Bool?
    package var isAnonymous: Bool?
    package var created = Period()
    /// When the account last signed in or renewed its tokens.
    package var lastSeen = Period()

    package init() {}

    package struct Identity: Sendable, Hashable {
        /// The provider, such as `google.com`; also `password` and `phone`.
        package let providerID: String
        /// The provider's own id of the user; `nil` for any.
        package let rawID: String?

        package init(providerID: String, rawID: String? = nil) {
            self.providerID = providerID
            self.rawID = rawID
        }
    }

    package struct Claim: Sendable, Hashable {
        package let name: String
        /// A text, or the JSON text of any other value; `nil` for any.
        package let value: String?

        package init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// A range of time; `nil` for no limit.
    package struct Period: Sendable, Hashable {
        package var since: Timestamp?
        /// The first point that is no longer in it.
        package var before: Timestamp?

        package init(since: Timestamp? = nil, before: Timestamp? = nil) {
            self.since = since
            self.before = before
        }

        fileprivate var json: JSONValue {
            .array([since, before].map { $0.map { .integer($0.milliseconds) } ?? .null })
        }

        fileprivate func contains(_ time: Timestamp?) -> Bool {
            guard since != nil || before != nil else { return true }
            guard let time else { return false }
            return since.map { time >= $0 } ?? true && before.map { time < $0 } ?? true
        }
    }
}

extension AccountQuery {
    // No stored text that can be searched for is longer.
    private static let maximumBytes = 2048

    private var texts: [String?] {
        [localID, emailPrefix, phonePrefix, namePrefix, identity?.providerID, identity?.rawID, claim?.name, claim?.value]
    }

    /// Whether an account could have all texts. No store has the character U+0000.
    var isPossible: Bool {
        texts.allSatisfy { text in text.map { $0.utf8.count <= Self.maximumBytes && !$0.hasNull } ?? true }
    }

    /// Names the query in page tokens: SHA-256 in hexadecimal. Two queries with the same name ask for the same.
    var fingerprint: String {
        let flags = [isDisabled, isVerified, isAnonymous].map { $0.map(JSONValue.bool) ?? .null }
        let parts = texts.map { $0.map(JSONValue.string) ?? .null } + flags + [created.json, lastSeen.json]
        return hexadecimal(sha256(JSONValue.array(parts).text.utf8))
    }

    /// The address's beginning as addresses are stored.
    private var storedEmailPrefix: String? { emailPrefix?.lowercased() }

    /// The index that a search goes along. An id and an identity with an id lead to one account and need none.
    var walk: AccountWalk {
        if let prefix = storedEmailPrefix { return .email(prefix) }
        if let prefix = phonePrefix { return .phoneNumber(prefix) }
        if let prefix = namePrefix { return .displayName(prefix) }
        return .newest(since: created.since, before: created.before)
    }

    /// Whether every account of the walk matches, so that a page reads no more than it shows.
    var isAnsweredByWalk: Bool {
        var rest = self
        switch walk {
        case .email: rest.emailPrefix = nil
        case .phoneNumber: rest.phonePrefix = nil
        case .displayName: rest.namePrefix = nil
        case .newest: rest.created = Period()
        }
        return rest == AccountQuery()
    }

    /// The accounts that match, among some that are in store. What lies outside of their rows is read for all of them together.
    func matching(_ accounts: [AccountRecord], _ scope: Scope, in transaction: Transaction) throws -> Set<String> {
        var left = accounts.filter(matchesRow)
        if let identity, !identity.isInRow {
            let identities = try transaction.identities(scope, localIDs: left.map(\.localID))
            left.removeAll { !identity.isAmong(identities[$0.localID] ?? []) }
        }
        if let isAnonymous {
            let anonymous = try transaction.anonymous(left, scope)
            left.removeAll { anonymous.contains($0.localID) != isAnonymous }
        }
        return Set(left.map(\.localID))
    }

    private func matchesRow(of account: AccountRecord) -> Bool {
        matchesTexts(of: account) && isDisabled.map { $0 == account.isDisabled } ?? true
            && isVerified.map { $0 == (account.email != nil && account.emailVerified == true) } ?? true
            && created.contains(account.createdAt)
            && lastSeen.contains([account.lastLoginAt, account.lastRefreshAt].compactMap(\.self).max())
            && claim.map { $0.isIn(account.customAttributes) } ?? true && identity.map { !$0.isInRow || $0.isIn(account) } ?? true
    }

    private func matchesTexts(of account: AccountRecord) -> Bool {
        func begins(_ text: String?, _ prefix: String?) -> Bool {
            guard let prefix else { return true }
            return text?.utf8.starts(with: prefix.utf8) ?? false
        }
        return (localID.map { bytesEqual($0, account.localID) } ?? true) && begins(account.email, storedEmailPrefix)
            && begins(account.phoneNumber, phonePrefix)
            && begins(account.displayName?.asciiLowercased, namePrefix?.asciiLowercased)
    }
}

extension AccountQuery.Identity {
    /// Whether the account's own row tells.
    fileprivate var isInRow: Bool { providerID == "password" || providerID == "phone" }

    fileprivate func isIn(_ account: AccountRecord) -> Bool {
        if providerID == "phone" {
            return account.phoneNumber != nil && (rawID.map { bytesEqual($0, account.phoneNumber) } ?? true)
        }
        return account.passwordHash != nil && (rawID.map { bytesEqual($0, account.email) } ?? true)
    }

    fileprivate func isAmong(_ identities: [IdentityRecord]) -> Bool {
        identities.contains { bytesEqual($0.providerID, providerID) && (rawID == nil || bytesEqual($0.rawID, rawID)) }
    }
}

extension AccountQuery.Claim {
    fileprivate func isIn(_ attributes: String?) -> Bool {
        guard let attributes, let claims = try? JSONValue.parse(attributes.utf8), let found = claims[MemberName(name)] else {
            return false
        }
        guard let value else { return true }
        return bytesEqual(found.string ?? found.text, value)
    }
}
