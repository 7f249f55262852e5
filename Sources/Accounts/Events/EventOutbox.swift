import Project
import Storage

/// Where changes of accounts are noted for the operator's web hook, in the transaction that makes them (`contract/rulings.md` 16).
///
/// Without a web hook nothing is written.
package struct EventOutbox: Sendable {
    private let wakeUp: (@Sendable () -> Void)?

    // A day: then the event is given up.
    private static let life = Duration.seconds(86_400)

    /// - Parameter wakeUp: Says that events may have been committed; `nil` where there is no web hook.
    package init(wakeUp: (@Sendable () -> Void)?) { self.wakeUp = wakeUp }

    /// Whether events are noted at all.
    var isOn: Bool { wakeUp != nil }

    /// Notes events. Whoever has committed them calls ``wake()``.
    ///
    /// - Parameters:
    ///   - events: What happened.
    ///   - account: To whom; as it is now, or was before its deletion.
    ///   - scope: The account's.
    ///   - eventID: The id of the audit record of the same change, from which the events' ids are made.
    ///   - time: Now.
    ///   - transaction: The transaction of the change.
    /// - Throws: `StorageError`.
    func note(
        _ events: [AccountEvent],
        of account: AccountRecord,
        _ scope: Scope,
        eventID: String,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard isOn else { return }
        for (index, event) in events.enumerated() {
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

    /// Says that events may have been committed.
    func wake() { wakeUp?() }
}
