import Federation
import Project
import Storage
import Tokens

/// Processes Apple's notifications about its users (`Docs/Contract/rulings.md` 15), in the project and in every tenant whose
/// `apple.com` configuration lists the notification's client id.
package struct AppleNotifications: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let changeLog: ChangeLog
    let verifier: AppleNotificationVerifier

    private static let providerID = AppleProvider.providerID
    // The tolerance between Apple's clock and this server's (`Docs/Contract/rulings.md` 3).
    private static let clockSkew = Duration.seconds(TokenIssuer.clockSkewSeconds)

    /// Verifies a notification and applies it. A repeated notification changes nothing, nor does one about an unknown user.
    ///
    /// - Throws: `ProviderError` for a notification that is not from Apple or for another client.
    package func receive(_ payload: String, address: String?) async throws {
        let notification = try await verifier.verify(payload)
        let scopes = try await database.read { transaction in
            try transaction.resources(kind: .defaultSupportedIdpConfig, resourceID: Self.providerID)
        }.filter { _, document in
            let ours = IdPConfig(providerID: Self.providerID, document: document).audiences
            return notification.audiences.contains(where: ours.containsBytes)
        }.map(\.scope)
        guard !scopes.isEmpty else { throw ProviderError(.claims, "The notification is for another client (aud).") }
        let time = environment.now()
        let stamps = scopes.map { changeLog.stamp(CallContext(scope: $0, actor: "apple", address: address), at: time) }
        try await database.write { transaction in
            for stamp in stamps { try apply(notification, stamp, in: transaction) }
        }
        changeLog.wake()
    }

    private func apply(_ notification: AppleNotification, _ stamp: ChangeStamp, in transaction: Transaction) throws {
        let (scope, time) = (stamp.scope, stamp.time)
        var happened: [AccountEvent] = []
        let mark = sha256("apple-notification:\(notification.identifier)".utf8)
        guard try transaction.useCredential(scope, hash: mark, expiresAt: notification.expiresAt), let event = notification.event,
            let account = try transaction.account(scope, providerID: Self.providerID, rawID: notification.subject)
        else { return }
        // Notifications may arrive late or out of order, so the time of the event decides, not the time of arrival.
        let occurredAt = notification.occurredAt.map { min($0, time) } ?? time
        switch event {
        case .emailDisabled, .emailEnabled:
            let isNews = try transaction.setMailDisabled(
                scope,
                providerID: Self.providerID,
                rawID: notification.subject,
                event == .emailDisabled,
                at: occurredAt
            )
            guard isNews else { return }
        case .consentRevoked, .accountDeleted:
            let identities = try transaction.identities(scope, localID: account.localID)
            // An identity that was linked after the event, beyond clock skew, belongs to a user who has come back.
            let linkedAt = identities.first { $0.providerID == Self.providerID }?.linkedAt
            if let linkedAt, occurredAt.advanced(by: Self.clockSkew) < linkedAt { return }
            happened = try unlink(account, identities, scope, at: time, in: transaction)
        }
        let detail: JSONValue = ["type": .string(event.rawValue)]
        try stamp.record(.appleNotification, happened, of: account, detail: detail, in: transaction)
    }

    // Returns the events for the web hook.
    private func unlink(
        _ account: AccountRecord,
        _ identities: [IdentityRecord],
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> [AccountEvent] {
        try transaction.deleteIdentities(scope, localID: account.localID, providerIDs: [Self.providerID])
        var happened = [AccountEvent.unlinked(providerID: Self.providerID)]
        let hasOtherWays =
            identities.contains { $0.providerID != Self.providerID } || account.passwordHash != nil
            || account.hasEmailLinkSignIn || account.phoneNumber != nil || account.hasCustomAuth
        if try hasOtherWays || !transaction.passkeys(scope, localID: account.localID).isEmpty {
            try transaction.revokeSessions(scope, localID: account.localID, signInProvider: Self.providerID, at: time)
        } else {
            // Valid ID tokens must not be used to add another way to sign in after the last one was removed.
            var account = account
            account.endTokens(at: time)
            try transaction.revokeSessions(scope, localID: account.localID, at: time)
            try transaction.updateAccount(scope, account)
            happened.append(.sessionsRevoked)
        }
        return happened
    }
}
