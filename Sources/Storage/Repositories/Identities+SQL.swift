package import Project

/// A linked identity provider account: an entry of `providerUserInfo` (`Docs/Contract/client-accounts.md` §0.3).
package struct IdentityRecord: Sendable, Hashable {
    package internal(set) var providerID: String
    /// The provider's own id of the user.
    package internal(set) var rawID: String
    package var email: String?
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    /// When it was linked; `nil` when it is not stored yet.
    package var linkedAt: Timestamp?

    package init(
        providerID: String,
        rawID: String,
        email: String? = nil,
        displayName: String? = nil,
        photoURL: String? = nil,
        screenName: String? = nil,
        linkedAt: Timestamp? = nil
    ) {
        self.providerID = providerID
        self.rawID = rawID
        self.email = email
        self.displayName = displayName
        self.photoURL = photoURL
        self.screenName = screenName
        self.linkedAt = linkedAt
    }
}

extension IdentityRecord: StoredRecord {
    static let table = TableDescriptor<Self>(
        "identities",
        of: .account,
        key: ["project_id", "tenant_id", "local_id", "provider_id"],
        others: ["mail_disabled", "mail_changed_at"]
    )
    static var blank: Self { Self(providerID: "", rawID: "") }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("provider_id", \.providerID)
        column("raw_id", \.rawID)
        column("email", \.email)
        column("display_name", \.displayName)
        column("photo_url", \.photoURL)
        column("screen_name", \.screenName)
        column("linked_at", \.linkedAt)
    }
}

extension Transaction {
    /// The identities of an account in the order of linking.
    package func identities(_ scope: Scope, localID: String) throws -> [IdentityRecord] {
        try all("WHERE \(scope) AND local_id = \(localID) ORDER BY linked_at, provider_id")
    }

    /// The identities of a provider in the order of linking.
    package func identities(_ scope: Scope, providerID: String, limit: Int) throws -> [IdentityRecord] {
        try all("WHERE \(scope) AND provider_id = \(providerID) ORDER BY linked_at, raw_id LIMIT \(limit)")
    }

    /// Links an identity, or updates the one that the account already has from the same provider. If the new one is another user
    /// of the provider, its time of linking is the given time.
    ///
    /// - Throws: `StorageError.uniqueViolation` when the provider's user is linked to another account.
    package func upsertIdentity(_ scope: Scope, localID: String, _ identity: IdentityRecord, at time: Timestamp) throws {
        let owner = scope.values + [.text(localID)]
        try execute(
            """
            \(sql: identity.insertion(of: owner, computing: "linked_at", as: "\(time)"))
            ON CONFLICT (project_id, tenant_id, local_id, provider_id) DO UPDATE SET
                raw_id = excluded.raw_id, email = excluded.email, display_name = excluded.display_name,
                photo_url = excluded.photo_url, screen_name = excluded.screen_name,
                linked_at = CASE WHEN identities.raw_id = excluded.raw_id THEN identities.linked_at ELSE excluded.linked_at END
            """
        )
    }

    /// Unlinks the identities of the given providers. Providers that are not linked are ignored.
    package func deleteIdentities(_ scope: Scope, localID: String, providerIDs: [String]) throws {
        for providerID in providerIDs {
            try execute("DELETE FROM identities WHERE \(scope) AND local_id = \(localID) AND provider_id = \(providerID)")
        }
    }

    /// Unlinks every identity of an account.
    package func deleteAllIdentities(_ scope: Scope, localID: String) throws {
        try execute("DELETE FROM identities WHERE \(scope) AND local_id = \(localID)")
    }

    /// Unlinks the identities of an account that were linked at a time or later.
    package func deleteIdentities(_ scope: Scope, localID: String, linkedSince time: Timestamp) throws {
        try execute("DELETE FROM identities WHERE \(scope) AND local_id = \(localID) AND linked_at >= \(time)")
    }

    /// Records whether a provider delivers mail to the address that it gave for its user.
    ///
    /// - Parameter time: Information of a later time is kept.
    package func setMailDisabled(
        _ scope: Scope,
        providerID: String,
        rawID: String,
        _ isDisabled: Bool,
        at time: Timestamp
    ) throws -> Bool {
        try execute(
            """
            UPDATE identities SET mail_disabled = \(isDisabled), mail_changed_at = \(time)
            WHERE \(scope) AND provider_id = \(providerID) AND raw_id = \(rawID)
                AND (mail_changed_at IS NULL OR mail_changed_at <= \(time))
            """
        ) > 0
    }

    /// Whether a provider reported that mail to an address is not delivered.
    package func isMailDisabled(_ scope: Scope, email: String) throws -> Bool {
        try queryOne("SELECT 1 AS found FROM identities WHERE \(scope) AND email = \(email) AND mail_disabled = 1 LIMIT 1") != nil
    }
}
