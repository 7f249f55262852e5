package import Federation
package import Project
package import Storage

/// Takes note of what Apple tells about its users (`contract/rulings.md` 15): in the project and in every tenant whose `apple.com`
/// lists the client id that the notification is for.
package struct AppleNotifications: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let verifier: AppleNotificationVerifier
    private let events: EventOutbox

    private static let providerID = "apple.com"

    package init(
        database: any Database,
        environment: ServerEnvironment,
        verifier: AppleNotificationVerifier,
        events: EventOutbox
    ) {
        self.events = events
        self.database = database
        self.environment = environment
        self.verifier = verifier
    }

    /// Verifies a notification and does what it asks. A repeated one changes nothing, and one about a stranger neither.
    ///
    /// - Parameters:
    ///   - payload: The signed token.
    ///   - address: The address of the caller.
    /// - Throws: `ProviderError` for one that is not from Apple or not for us; `StorageError`.
    package func receive(_ payload: String, address: String?) async throws {
        let notification = try await verifier.verify(payload)
        let scopes = try await database.read { transaction in
            try transaction.resources(kind: .defaultSupportedIdpConfig, resourceID: Self.providerID)
        }.filter { _, document in
            let ours = IdPConfig(providerID: Self.providerID, document: document).audiences
            return notification.audiences.contains(where: ours.contains)
        }.map(\.scope)
        guard !scopes.isEmpty else { throw ProviderError(.claims, "The notification is for another client (aud).") }
        let time = environment.now()
        let drafts = scopes.map { (scope: $0, eventID: environment.newEventID()) }
        try await database.write { transaction in
            for (scope, eventID) in drafts {
                try apply(notification, scope, eventID: eventID, address: address, at: time, in: transaction)
            }
        }
        events.wake()
    }

    private func apply(
        _ notification: AppleNotification,
        _ scope: Scope,
        eventID: String,
        address: String?,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        let mark = sha256("apple-notification:\(notification.identifier)".utf8)
        guard try transaction.useCredential(scope, hash: mark, expiresAt: notification.expiresAt), let event = notification.event,
            let account = try transaction.account(scope, providerID: Self.providerID, rawID: notification.subject)
        else { return }
        switch event {
        case .emailDisabled, .emailEnabled:
            let isDisabled = event == .emailDisabled
            try transaction.setMailDisabled(
                scope,
                providerID: Self.providerID,
                rawID: notification.subject,
                isDisabled
            )
        case .consentRevoked, .accountDeleted:
            try transaction.deleteIdentities(scope, localID: account.localID, providerIDs: [Self.providerID])
            try transaction.revokeSessions(scope, localID: account.localID, signInProvider: Self.providerID, at: time)
            let unlinked = AccountEvent.unlinked(providerID: Self.providerID)
            try events.note([unlinked], of: account, scope, eventID: eventID, at: time, in: transaction)
        }
        try transaction.insertAuditEvent(
            scope,
            AuditEvent(
                eventID: eventID,
                occurredAt: time,
                event: "appleNotification",
                localID: account.localID,
                actor: "apple",
                address: address,
                detail: ["type": .string(event.rawValue)]
            )
        )
    }
}
