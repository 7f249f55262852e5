package import Project

/// How long a bucket counts before it begins anew.
package enum ThrottleWindow: Sendable, Hashable {
    /// From its first event on, whatever comes after: so many events an hour.
    case fixed(Duration)
    /// Until it has been quiet for so long: events in a row.
    case sliding(Duration)

    fileprivate var length: Duration {
        switch self {
        case .fixed(let length), .sliding(let length): length
        }
    }
}

/// What a bucket has counted.
package struct ThrottleCount: Sendable, Hashable {
    /// Events in the window.
    package let count: Int64
    /// When the window ends.
    package let endsAt: Timestamp
    /// Nothing is let through before; the epoch where nothing is held up.
    package let blockedUntil: Timestamp

    package init(count: Int64, endsAt: Timestamp, blockedUntil: Timestamp) {
        self.count = count
        self.endsAt = endsAt
        self.blockedUntil = blockedUntil
    }

    fileprivate init(row: Row) throws {
        count = try row.integer("count")
        endsAt = try row.timestamp("ends_at")
        blockedUntil = try row.timestamp("blocked_until")
    }
}

extension Transaction {
    /// Counts one event, in one statement, so that events at once on any number of nodes are all counted.
    ///
    /// - Parameters:
    ///   - scope: Where it happened.
    ///   - bucket: What is counted.
    ///   - time: Now.
    ///   - window: How long to count.
    /// - Returns: The bucket, with this event.
    /// - Throws: `StorageError`.
    package func countThrottle(
        _ scope: Scope,
        bucket: String,
        at time: Timestamp,
        window: ThrottleWindow
    ) throws -> ThrottleCount {
        let endOfLivingWindow =
            switch window {
            case .fixed: "throttles.ends_at"
            case .sliding: "excluded.ends_at"
            }
        let row = try queryOne(
            """
            INSERT INTO throttles (project_id, tenant_id, bucket, count, ends_at, blocked_until)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(bucket), 1,
                \(time.advanced(by: window.length).milliseconds), 0)
            ON CONFLICT (project_id, tenant_id, bucket) DO UPDATE SET
                count = CASE WHEN throttles.ends_at <= \(time.milliseconds) THEN 1 ELSE throttles.count + 1 END,
                ends_at = CASE WHEN throttles.ends_at <= \(time.milliseconds) THEN excluded.ends_at
                    ELSE \(raw: endOfLivingWindow) END
            RETURNING count, ends_at, blocked_until
            """
        )
        guard let row else { throw StorageError.other("a counted throttle has no row") }
        return try ThrottleCount(row: row)
    }

    /// A bucket as it stands, its window ended or not; `nil` when nothing was counted.
    ///
    /// - Throws: `StorageError`.
    package func throttle(_ scope: Scope, bucket: String) throws -> ThrottleCount? {
        try queryOne(
            """
            SELECT count, ends_at, blocked_until FROM throttles
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND bucket = \(bucket)
            """
        ).map(ThrottleCount.init(row:))
    }

    /// Lets nothing through before `time`.
    ///
    /// - Throws: `StorageError`.
    package func blockThrottle(_ scope: Scope, bucket: String, until time: Timestamp) throws {
        try execute(
            """
            UPDATE throttles SET blocked_until = \(time.milliseconds)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND bucket = \(bucket)
            """
        )
    }

    /// Takes one event back, if the window that counted it still lasts.
    ///
    /// - Parameters:
    ///   - scope: Where it happened.
    ///   - bucket: What was counted.
    ///   - endsAt: The end of that window, as it was returned when the event was counted.
    /// - Throws: `StorageError`.
    package func takeBackThrottle(_ scope: Scope, bucket: String, endingAt endsAt: Timestamp) throws {
        try execute(
            """
            UPDATE throttles SET count = count - 1
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND bucket = \(bucket)
                AND ends_at = \(endsAt.milliseconds) AND count > 0
            """
        )
    }

    /// Forgets a bucket: its count, and whatever it held up.
    ///
    /// - Throws: `StorageError`.
    package func resetThrottle(_ scope: Scope, bucket: String) throws {
        try execute(
            """
            DELETE FROM throttles
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND bucket = \(bucket)
            """
        )
    }

    /// Forgets buckets whose window has ended and that hold nothing up, in one small batch.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `StorageError`.
    package func deleteThrottles(endedBefore time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM throttles WHERE (project_id, tenant_id, bucket) IN (
                SELECT project_id, tenant_id, bucket FROM throttles
                WHERE ends_at < \(time.milliseconds) AND blocked_until < \(time.milliseconds)
                ORDER BY ends_at LIMIT \(limit))
            """
        )
    }
}
