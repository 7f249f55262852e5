package import Project

// Counts that belong to an account, and counts of tries whose outcome is known later.
extension Transaction {
    /// A bucket of an account, also when its window has ended; `nil` when nothing was counted, or by a node that does not yet write whose
    /// buckets are.
    package func throttle(_ scope: Scope, bucket: String, of localID: String) throws -> ThrottleCount? {
        let isOwn = try queryOne("SELECT local_id FROM throttles WHERE \(scope) AND bucket = \(bucket) AND local_id = \(localID)")
        return try isOwn.flatMap { _ in try throttle(scope, bucket: bucket) }
    }

    /// Deletes the buckets of an account whose names begin with one of some prefixes.
    ///
    /// - Parameter prefixes: The beginnings of names, in ASCII.
    package func deleteThrottles(_ scope: Scope, localID: String, prefixes: [String]) throws {
        guard !prefixes.isEmpty else { return }
        var names = SQL.StringInterpolation(literalCapacity: 64, interpolationCount: prefixes.count)
        for (index, prefix) in prefixes.enumerated() {
            if index > 0 { names.appendLiteral(" OR ") }
            names.appendLiteral("substr(bucket, 1, \(prefix.utf8.count)) = ")
            names.appendInterpolation(prefix)
        }
        try execute(
            """
            DELETE FROM throttles WHERE local_id = \(localID) AND \(scope) AND (\(sql: SQL(stringInterpolation: names)))
            """
        )
    }

    /// Records that a counted event has failed for certain.
    package func settleThrottle(_ scope: Scope, bucket: String) throws {
        try execute("UPDATE throttles SET settled = settled + 1 WHERE \(scope) AND bucket = \(bucket) AND settled < count")
    }

    /// Records that every event that was counted has failed, if none was counted since.
    ///
    /// - Parameter endsAt: The end of the window when the last of them was counted.
    package func settleAllOfThrottle(_ scope: Scope, bucket: String, countedUntil endsAt: Timestamp) throws {
        try execute("UPDATE throttles SET settled = count WHERE \(scope) AND bucket = \(bucket) AND ends_at + 0 = \(endsAt)")
    }

    /// Removes one event whose outcome was not known.
    package func takeBackOpenThrottle(_ scope: Scope, bucket: String) throws {
        try execute("UPDATE throttles SET count = count - 1 WHERE \(scope) AND bucket = \(bucket) AND settled < count")
    }

    /// Forgets the failures of a bucket and its block after one of its events has succeeded. The other events whose outcome is not known
    /// stay counted.
    package func forgiveThrottle(_ scope: Scope, bucket: String) throws {
        // In the usual case nothing else is counted, and no row is left.
        let left = try execute(
            """
            UPDATE throttles SET count = count - settled - 1, settled = 0, blocked_until = 0
            WHERE \(scope) AND bucket = \(bucket)
                AND count - settled > 1
            """
        )
        if left == 0 { try resetThrottle(scope, bucket: bucket) }
    }
}
