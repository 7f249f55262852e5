package import Project

/// How often something happened on a day.
package struct DailyCount: Sendable, Hashable {
    /// What is counted.
    package struct Key: Sendable, Hashable, Comparable {
        package let scope: Scope
        /// Days since 1970, UTC.
        package let day: Int64
        package let metric: String
        package let label: String

        package init(scope: Scope, day: Int64, metric: String, label: String) {
            self.scope = scope
            self.day = day
            self.metric = metric
            self.label = label
        }

        // The order of the primary key.
        package static func < (one: Key, other: Key) -> Bool {
            (one.scope.projectID, one.scope.tenantKey, one.day, one.metric, one.label)
                < (other.scope.projectID, other.scope.tenantKey, other.day, other.metric, other.label)
        }
    }

    package let key: Key
    package let count: Int64

    package init(key: Key, count: Int64) {
        self.key = key
        self.count = count
    }
}

extension Transaction {
    /// Adds to the counts of days. Rows are taken in the order of their keys, so that two nodes never wait for each other.
    ///
    /// - Throws: `StorageError`.
    package func add(_ counts: [DailyCount]) throws {
        for count in counts.sorted(by: { $0.key < $1.key }) {
            let key = count.key
            try execute(
                """
                INSERT INTO daily_counts (project_id, tenant_id, day, metric, label, count)
                VALUES (\(key.scope.projectID), \(key.scope.tenantKey), \(key.day), \(key.metric), \(key.label), \(count.count))
                ON CONFLICT (project_id, tenant_id, day, metric, label) DO UPDATE SET count = daily_counts.count + excluded.count
                """
            )
        }
    }

    /// The counts of a project since a day.
    ///
    /// - Parameters:
    ///   - projectID: The project.
    ///   - tenantKey: One tenant, or empty for the project itself; `nil` for both and all.
    ///   - day: The first day.
    ///   - limit: The largest number of rows.
    /// - Returns: The counts of all tenants that were asked for, added up.
    /// - Throws: `StorageError`.
    package func dailyCounts(
        _ projectID: String,
        tenantKey: String?,
        since day: Int64,
        limit: Int
    ) throws -> [(day: Int64, metric: String, label: String, count: Int64)] {
        let tenant: SQL = tenantKey.map { "AND tenant_id = \($0)" } ?? ""
        return try query(
            """
            SELECT day, metric, label, CAST(sum(count) AS BIGINT) AS total FROM daily_counts
            WHERE project_id = \(projectID) AND day >= \(day) \(sql: tenant)
            GROUP BY day, metric, label ORDER BY day, metric, label LIMIT \(limit)
            """
        ).map { row in
            (try row.integer("day"), try row.text("metric"), try row.text("label"), try row.integer("total"))
        }
    }

    /// Deletes counts of days before a day, in one small batch.
    ///
    /// - Returns: How many were deleted.
    /// - Throws: `StorageError`.
    package func deleteDailyCounts(before day: Int64, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM daily_counts WHERE (project_id, tenant_id, day, metric, label) IN (
                SELECT project_id, tenant_id, day, metric, label FROM daily_counts
                WHERE day < \(day) ORDER BY day LIMIT \(limit))
            """
        )
    }
}
