import Messaging
import Project
import Storage

/// The ways to sign in to an account, to be compared before and after a change.
struct WaysIn: Sendable {
    private let email: String?
    private let passwordHash: String?
    private let passwordUpdatedAt: Timestamp?
    private let phoneNumber: String?
    private let hasEmailLink: Bool
    private let identities: [IdentityRecord]
    private let passkeys: [String]

    init(of account: AccountRecord, _ scope: Scope, in transaction: Transaction) throws {
        let passkeys = try transaction.passkeys(scope, localID: account.localID).map(\.credentialID)
        self.init(of: account, try transaction.identities(scope, localID: account.localID), passkeys: passkeys)
    }

    init(of account: AccountRecord, _ identities: [IdentityRecord], passkeys: [String] = []) {
        email = account.email
        passwordHash = account.passwordHash
        passwordUpdatedAt = account.passwordUpdatedAt
        phoneNumber = account.phoneNumber
        hasEmailLink = account.hasEmailLinkSignIn
        self.identities = identities
        self.passkeys = passkeys
    }

    /// Finds the changes, for the notice to the account's owner.
    func alterations(to new: WaysIn) -> [AccountAlteration] {
        var changes: [AccountAlteration] = []
        if new.email == nil, email != nil { changes.append(.emailRemoved) }
        if passwordHash != nil, new.passwordHash == nil { changes.append(.passwordRemoved) }
        // A rehashed password keeps its time.
        if new.passwordHash != nil, passwordHash == nil || passwordUpdatedAt != new.passwordUpdatedAt {
            changes.append(.passwordSet)
        }
        if phoneNumber != new.phoneNumber { changes.append(new.phoneNumber == nil ? .phoneRemoved : .phoneAdded) }
        if new.hasEmailLink, !hasEmailLink { changes.append(.emailLinkAdded) }
        changes += new.identities.filter { !Self.has($0, identities) }.map { .providerAdded($0.providerID) }
        // Another user of the same provider takes the place of the one before.
        changes += identities.filter { !Self.has($0, new.identities) }.map { .providerRemoved($0.providerID) }
        if new.passkeys.contains(where: { !passkeys.contains($0) }) { changes.append(.passkeyAdded) }
        if passkeys.contains(where: { !new.passkeys.contains($0) }) { changes.append(.passkeyRemoved) }
        return changes
    }

    private static func has(_ identity: IdentityRecord, _ identities: [IdentityRecord]) -> Bool {
        identities.contains { $0.providerID == identity.providerID && bytesEqual($0.rawID, identity.rawID) }
    }
}

extension OwnershipProof.Removed {
    /// The removed ways as changes, for the notice.
    var alterations: [AccountAlteration] {
        providers.map { .providerRemoved($0) } + (hasPasskeys ? [.passkeyRemoved] : [])
            + (hasPhoneNumber ? [.phoneRemoved] : [])
    }

    /// The removed ways by name, for the answer: ids of providers, `passkey` and `phone`.
    var names: [String] { providers + (hasPasskeys ? ["passkey"] : []) + (hasPhoneNumber ? ["phone"] : []) }
}
