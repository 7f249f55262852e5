package import Project

/// How long a bucket counts before it starts again.
package enum ThrottleWindow: Sendable, Hashable {
    /// A fixed time from its first event on: so many events per hour.
    case fixed(Duration)
    /// Until there was no event for so long: so many events in a row.
    case sliding(Duration)

    fileprivate var length: Duration {
        switch self {
        case .fixed(let length), .sliding(let length): length
        }
    }
}

/// The count of a bucket.
package struct ThrottleCount: Sendable, Hashable {
    /// Events in the window.
    package let count: Int64
    /// When the window ends.
    package let endsAt: Timestamp
    /// No event is allowed before this time; the epoch when nothing is blocked.
    package let blockedUntil: Timestamp
    /// Of the events, how many are known to have failed; see `Transaction.settleThrottle(_:bucket:)`.
    package let settled: Int64

    package init(count: Int64, endsAt: Timestamp, blockedUntil: Timestamp, settled: Int64 = 0) {
        self.count = count
        self.endsAt = endsAt
        self.blockedUntil = blockedUntil
        self.settled = settled
    }

    fileprivate init(row: Row) throws {
        count = try row.integer("count")
        endsAt = try row.timestamp("ends_at")
        blockedUntil = try row.timestamp("blocked_until")
        settled = try row.integer("settled")
    }

    /// How many events are counted whose outcome is not known yet.
    package var open: Int64 { max(count - settled, 0) }

    /// Until when nothing is allowed; `nil` when something is.
    ///
    /// An end that lies further ahead than any delay was set while the clock was wrong, and counts as passed: otherwise the wait would last
    /// as long as the clock was ahead.
    ///
    /// - Parameter longest: The longest delay of the bucket.
    package func block(at now: Timestamp, atMost longest: Duration) -> Timestamp? {
        now < blockedUntil && blockedUntil <= now.advanced(by: longest + ClockSkew.limit) ? blockedUntil : nil
    }
}

extension Transaction {
    /// Counts one event, in one statement, so that simultaneous events on all nodes are counted. A fixed window that ends later than one
    /// that begins now was begun while the clock was wrong, and has ended.
    ///
    /// - Returns: The bucket, including this event.
    package func countThrottle(
        _ scope: Scope,
        bucket: String,
        of localID: String? = nil,
        at time: Timestamp,
        window: ThrottleWindow
    ) throws -> ThrottleCount {
        let (endOfLivingWindow, latest) =
            switch window {
            case .fixed(let length): ("throttles.ends_at", time.advanced(by: length + ClockSkew.limit).milliseconds)
            case .sliding: ("excluded.ends_at", Int64.max)
            }
        let row = try queryOne(
            """
            INSERT INTO throttles (project_id, tenant_id, bucket, local_id, count, ends_at, blocked_until)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(bucket), \(localID), 1,
                \(time.advanced(by: window.length).milliseconds), 0)
            ON CONFLICT (project_id, tenant_id, bucket) DO UPDATE SET
                local_id = COALESCE(excluded.local_id, throttles.local_id),
                settled = CASE WHEN throttles.ends_at <= \(time) OR throttles.ends_at > \(latest) THEN 0
                    ELSE throttles.settled END,
                count = CASE WHEN throttles.ends_at <= \(time) OR throttles.ends_at > \(latest) THEN 1
                    ELSE throttles.count + 1 END,
                ends_at = CASE WHEN throttles.ends_at <= \(time) OR throttles.ends_at > \(latest)
                    THEN excluded.ends_at ELSE \(raw: endOfLivingWindow) END
            RETURNING count, ends_at, blocked_until, settled
            """
        )
        guard let row else { throw StorageError.other("a counted throttle has no row") }
        return try ThrottleCount(row: row)
    }

    /// A bucket, also when its window has ended; `nil` when nothing was counted.
    package func throttle(_ scope: Scope, bucket: String) throws -> ThrottleCount? {
        try queryOne(
            """
            SELECT count, ends_at, blocked_until, settled FROM throttles
            WHERE \(scope) AND bucket = \(bucket)
            """
        ).map(ThrottleCount.init(row:))
    }

    /// Allows no event before `time`.
    package func blockThrottle(_ scope: Scope, bucket: String, until time: Timestamp) throws {
        try execute("UPDATE throttles SET blocked_until = \(time) WHERE \(scope) AND bucket = \(bucket)")
    }

    /// Removes one event from the count, if the window that counted it has not ended.
    ///
    /// - Parameter endsAt: The end of that window, as it was returned when the event was counted.
    package func takeBackThrottle(_ scope: Scope, bucket: String, endingAt endsAt: Timestamp) throws {
        // As a sum, the end of the window does not lead to the index of ends.
        try execute(
            """
            UPDATE throttles SET count = count - 1
            WHERE \(scope) AND bucket = \(bucket)
                AND ends_at + 0 = \(endsAt) AND count > 0
            """
        )
    }

    /// Deletes a bucket with its count and its block.
    package func resetThrottle(_ scope: Scope, bucket: String) throws {
        try execute("DELETE FROM throttles WHERE \(scope) AND bucket = \(bucket)")
    }

    /// Deletes a bucket, and the buckets of single networks whose names begin with its name and `:from:`.
    package func resetThrottles(_ scope: Scope, bucket: String) throws -> Int {
        let own = try execute("DELETE FROM throttles WHERE \(scope) AND bucket = \(bucket)")
        // The order of bytes has an index. `;` is the character after `:`.
        return try own
            + execute(
                """
                DELETE FROM throttles
                WHERE \(bytewise: "project_id") = \(scope.projectID) AND \(bytewise: "tenant_id") = \(scope.tenantKey)
                    AND \(bytewise: "bucket") >= \(bucket + ":from:") AND \(bytewise: "bucket") < \(bucket + ":from;")
                """
            )
    }
}
