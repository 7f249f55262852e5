import Project
import Storage

extension RepositoryCall {
    /// An account that has everything that is looked for.
    static func account(_ localID: String = "u") -> AccountRecord {
        var account = AccountRecord(localID: localID, createdAt: time)
        account.email = "\(localID)@example.com"
        account.initialEmail = account.email
        account.phoneNumber = "+49\(localID.utf8.count)"
        account.displayName = localID
        account.passwordHash = "hash"
        return account
    }

    private static let passkey = PasskeyRecord(
        credentialID: "k",
        localID: "u",
        name: "key",
        publicKey: [1],
        signCount: 0,
        createdAt: time
    )

    static let accounts: [RepositoryCall] = [
        RepositoryCall("insertAccount(_:_:)") {
            try $0.insertAccount(scope, account())
            try $0.insertAccount(scope, account("second"))
            try $0.insertAccount(tenant, account())
        },
        RepositoryCall("updateAccount(_:_:)") { try $0.updateAccount(scope, account()) },
        RepositoryCall("account(_:localID:)") { _ = try $0.account(scope, localID: "u") },
        RepositoryCall("account(_:email:)") { _ = try $0.account(scope, email: "u@example.com") },
        RepositoryCall("account(_:phoneNumber:)") { _ = try $0.account(scope, phoneNumber: "+491") },
        RepositoryCall("account(_:providerID:rawID:)") { _ = try $0.account(scope, providerID: "google.com", rawID: "r") },
        RepositoryCall("account(_:providerEmail:ownsAddress:)") {
            for owns in [true, false] { _ = try $0.account(scope, providerEmail: "u@example.com", ownsAddress: owns) }
        },
        RepositoryCall("touchLogin(_:localID:at:)") { try $0.touchLogin(scope, localID: "u", at: time) },
        RepositoryCall("touchRefresh(_:localID:at:)") { _ = try $0.touchRefresh(scope, localID: "u", at: time) },
        RepositoryCall("setImportDigests(_:localID:_:)") {
            let record = ImportDigestsRecord(importedAt: time, keyCheck: "k", digests: ["email": "d"])
            try $0.setImportDigests(scope, localID: "u", record)
        },
        RepositoryCall("importDigests(_:localID:)") { _ = try $0.importDigests(scope, localID: "u") },
        RepositoryCall("upsertIdentity(_:localID:_:at:)") {
            let identity = IdentityRecord(providerID: "google.com", rawID: "r", email: "u@example.com")
            try $0.upsertIdentity(scope, localID: "u", identity, at: time)
        },
        RepositoryCall("identities(_:localID:)") { _ = try $0.identities(scope, localID: "u") },
        RepositoryCall("identities(_:providerID:limit:)") {
            _ = try $0.identities(scope, providerID: "google.com", limit: 10)
        },
        RepositoryCall("identities(_:localIDs:)") { _ = try $0.identities(scope, localIDs: ["u"]) },
        RepositoryCall("setMailDisabled(_:providerID:rawID:_:at:)") {
            _ = try $0.setMailDisabled(scope, providerID: "google.com", rawID: "r", true, at: time)
        },
        RepositoryCall("isMailDisabled(_:email:)") { _ = try $0.isMailDisabled(scope, email: "u@example.com") },
        RepositoryCall("insertPasskey(_:_:)") { _ = try $0.insertPasskey(scope, passkey) },
        RepositoryCall("passkey(_:credentialID:)") { _ = try $0.passkey(scope, credentialID: "k") },
        RepositoryCall("passkeys(_:localID:)") { _ = try $0.passkeys(scope, localID: "u") },
        RepositoryCall("passkeyHolders(_:localIDs:)") { _ = try $0.passkeyHolders(scope, localIDs: ["u"]) },
        RepositoryCall("updatePasskey(_:credentialID:signCount:)") {
            try $0.updatePasskey(scope, credentialID: "k", signCount: 1)
        },
        RepositoryCall("deletePasskey(_:localID:credentialID:)") {
            try $0.deletePasskey(scope, localID: "u", credentialID: "other")
        },
        RepositoryCall("deletePasskeys(_:localID:createdSince:)") {
            try $0.deletePasskeys(scope, localID: "u", createdSince: later)
        },
        RepositoryCall("deleteAllPasskeys(_:localID:)") { try $0.deleteAllPasskeys(scope, localID: "u") },
        RepositoryCall("accountCensus(_:limit:)") { _ = try $0.accountCensus(scope, limit: 1) },
        RepositoryCall("accountCount(_:)") { _ = try $0.accountCount(scope) },
        RepositoryCall("accounts(_:after:limit:)") { _ = try $0.accounts(scope, after: "a", limit: 10) },
        RepositoryCall("accounts(_:by:isDescending:limit:offset:)") {
            for order in [AccountOrder.localID, .displayName, .createdAt, .lastLoginAt, .email] {
                _ = try $0.accounts(scope, by: order, isDescending: true, limit: 10, offset: 0)
            }
        },
        RepositoryCall("accounts(_:initialEmail:limit:)") {
            _ = try $0.accounts(scope, initialEmail: "u@example.com", limit: 10)
        },
        RepositoryCall("accounts(_:along:after:limit:)") {
            let walks: [AccountWalk] = [.newest(since: time, before: later), .email("u"), .phoneNumber("+"), .displayName("u")]
            for walk in walks {
                let first = try $0.accounts(scope, along: walk, after: nil, limit: 1)
                _ = try $0.accounts(scope, along: walk, after: first.last?.place, limit: 1)
            }
        },
        RepositoryCall("deleteIdentities(_:localID:providerIDs:)") {
            try $0.deleteIdentities(scope, localID: "u", providerIDs: ["apple.com"])
        },
        RepositoryCall("deleteIdentities(_:localID:linkedSince:)") {
            try $0.deleteIdentities(scope, localID: "u", linkedSince: later)
        },
        RepositoryCall("deleteAllIdentities(_:localID:)") { try $0.deleteAllIdentities(scope, localID: "u") },
        RepositoryCall("deleteAccount(_:localID:)") { _ = try $0.deleteAccount(scope, localID: "second") },
    ]
}
