import Project
import Storage

/// Writes changes of accounts for the operator's web hook, in the transaction that makes them (`Docs/Contract/rulings.md` 16).
///
/// Without a web hook it writes nothing.
package struct EventOutbox: Sendable {
    private let wakeUp: (@Sendable () -> Void)?
    private let pace = SignInEventPace()

    // Delivery of an event is given up after a day.
    private static let life = Duration.seconds(86_400)

    /// - Parameter wakeUp: Called after events may have been committed; `nil` when there is no web hook.
    package init(wakeUp: (@Sendable () -> Void)?) { self.wakeUp = wakeUp }

    /// Whether events are written.
    var isOn: Bool { wakeUp != nil }

    /// Writes events. The caller calls ``wake()`` after the commit.
    ///
    /// - Parameters:
    ///   - account: The account after the change, or before its deletion.
    ///   - eventID: The id of the audit record of the same change, from which the events' ids are made.
    func note(
        _ events: [AccountEvent],
        of account: AccountRecord,
        _ scope: Scope,
        eventID: String,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        guard isOn else { return }
        for (index, event) in events.enumerated() {
            if case .signedIn = event, !pace.admits(account.localID, scope, at: time) { continue }
            let id = "\(eventID).\(event.name).\(index)"
            var body: JSONObject = [
                "id": .string(id), "type": .string("user.\(event.name)"), "createdAt": .string(time.rfc3339),
                "projectId": .string(scope.projectID), "localId": .string(account.localID),
                "data": event.data(of: account),
            ]
            body["tenantId"] = scope.tenantID.map(JSONValue.string)
            let record = OutboxRecord(
                messageID: id,
                scope: scope,
                payload: JSONValue.object(body).text,
                createdAt: time,
                expiresAt: time.advanced(by: Self.life)
            )
            try transaction.insertOutboxMessage(record, in: .webhook)
        }
    }

    /// Starts the delivery of committed events.
    func wake() { wakeUp?() }
}
