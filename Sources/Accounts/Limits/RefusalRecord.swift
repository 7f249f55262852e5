import Project
import Storage

/// Equal refusals that become one audit record.
struct RefusalRecord: Sendable {
    /// What makes refusals equal.
    struct Key: Sendable, Hashable {
        var code: String
        var provider: String?
        var scope: Scope
        var localID: String?
        var actor: String
        var address: String?
        /// Whether these are all refusals of a code in a project together: what is counted beyond the bounds.
        var isBeyondLimit = false

        /// All refusals of a code in a project together.
        static func rest(_ code: String, _ scope: Scope) -> Key {
            Key(code: code, scope: scope.project, actor: AuditEvent.user, isBeyondLimit: true)
        }
    }

    /// How often and when.
    struct Tally: Sendable {
        var count: Int
        let firstAt: Timestamp
        var lastAt: Timestamp
        /// The id of the first request.
        let requestID: String?
        /// How far the first sign-in came.
        let steps: [SignInStep]
        /// The account that kept the first one from being linked.
        let heldBy: String?

        mutating func add(_ other: Tally) {
            count += other.count
            lastAt = max(lastAt, other.lastAt)
        }
    }

    /// A record that is counted on.
    struct Open: Sendable {
        let eventID: String
        let endsAt: Timestamp
    }

    let key: Key
    let tally: Tally
    let eventID: String
}

/// Enters refusals into the audit trail, within one transaction.
struct RefusalEntries {
    private var open: [RefusalRecord.Key: RefusalRecord.Open]
    private var room: Int
    private let now: Timestamp
    private let perAddressPerHour: Int
    /// The records that were begun.
    private(set) var begun: [RefusalRecord.Key: RefusalRecord.Open] = [:]

    init(open: [RefusalRecord.Key: RefusalRecord.Open], room: Int, now: Timestamp, perAddressPerHour: Int) {
        self.open = open
        self.room = room
        self.now = now
        self.perAddressPerHour = perAddressPerHour
    }

    /// Counts refusals on the record of equal ones, or begins a record.
    ///
    /// - Parameter spareID: The id of the record of the rest, if it is begun here.
    mutating func enter(_ record: RefusalRecord, spareID: String, in transaction: Transaction) throws {
        if try count(record.tally, on: record.key, in: transaction) { return }
        guard !record.key.isBeyondLimit, room > 0, try mayBegin(record.key, in: transaction) else {
            let rest = RefusalRecord.Key.rest(record.key.code, record.key.scope)
            if try count(record.tally, on: rest, in: transaction) { return }
            return try begin(rest, record.tally, id: spareID, in: transaction)
        }
        room -= 1
        try begin(record.key, record.tally, id: record.eventID, in: transaction)
    }

    private func mayBegin(_ key: RefusalRecord.Key, in transaction: Transaction) throws -> Bool {
        let network = ClientNetwork(key.address)
        let buckets = ThrottleBucket.counts(of: network, limit: perAddressPerHour, named: ThrottleBucket.refusals)
        var counted: [CountedBucket] = []
        // The widest network first: of two nodes that enter refusals of its clients, one waits for the other.
        for bucket in buckets.reversed() {
            let scope = key.scope.project
            let count = try transaction.countThrottle(scope, bucket: bucket.name, at: now, window: .fixed(.seconds(3600)))
            guard count.count <= bucket.limit else {
                // What one network says beyond its limit takes nothing from its neighbours.
                try transaction.takeBack(counted, scope)
                return false
            }
            counted.append(CountedBucket(name: bucket.name, endsAt: count.endsAt))
        }
        return true
    }

    private func count(_ tally: RefusalRecord.Tally, on key: RefusalRecord.Key, in transaction: Transaction) throws -> Bool {
        guard let known = open[key], known.endsAt > now else { return false }
        return try transaction.countAuditRepetitions(Int64(tally.count), of: known.eventID, at: tally.lastAt)
    }

    private mutating func begin(
        _ key: RefusalRecord.Key,
        _ tally: RefusalRecord.Tally,
        id: String,
        in transaction: Transaction
    ) throws {
        var detail: JSONObject = ["code": .string(key.code)]
        detail["provider"] = key.provider.map(JSONValue.string)
        if !tally.steps.isEmpty { detail["steps"] = .array(tally.steps.map { .string($0.rawValue) }) }
        detail[AuditEvent.heldBy] = key.isBeyondLimit ? nil : tally.heldBy.map(JSONValue.string)
        detail["requestId"] = key.isBeyondLimit ? nil : tally.requestID.map(JSONValue.string)
        if key.isBeyondLimit { detail["beyondLimit"] = true }
        var event = AuditEvent(
            eventID: id,
            occurredAt: tally.firstAt,
            event: .refused,
            localID: key.localID,
            actor: key.actor,
            address: key.address,
            detail: .object(detail)
        )
        event.repeats = Int64(tally.count - 1)
        event.lastAt = tally.count > 1 ? tally.lastAt : nil
        try transaction.insertAuditEvent(key.scope, event)
        open[key] = RefusalRecord.Open(eventID: id, endsAt: now.advanced(by: RefusalAudit.window))
        begun[key] = open[key]
    }
}
