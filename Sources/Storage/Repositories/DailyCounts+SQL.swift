import Project

/// How often something happened on a day.
package struct DailyCount: Sendable, Hashable {
    package struct Key: Sendable, Hashable, Comparable {
        package let projectID: String
        /// The tenant; empty for the project itself, ``everywhere`` for both and all.
        package let tenantKey: String
        /// Days since 1970, UTC.
        package let day: Int64
        package let metric: String
        package let label: String

        /// No tenant has this id.
        package static let everywhere = "*"

        package init(projectID: String, tenantKey: String, day: Int64, metric: String, label: String) {
            self.projectID = projectID
            self.tenantKey = tenantKey
            self.day = day
            self.metric = metric
            self.label = label
        }

        // The order of the primary key.
        package static func < (one: Key, other: Key) -> Bool {
            (one.projectID, one.tenantKey, one.day, one.metric, one.label)
                < (other.projectID, other.tenantKey, other.day, other.metric, other.label)
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
    package func add(_ counts: [DailyCount]) throws {
        for count in counts.sorted(by: { $0.key < $1.key }) {
            let key = count.key
            try execute(
                """
                INSERT INTO daily_counts (project_id, tenant_id, day, metric, label, count)
                VALUES (\(key.projectID), \(key.tenantKey), \(key.day), \(key.metric), \(key.label), \(count.count))
                ON CONFLICT (project_id, tenant_id, day, metric, label) DO UPDATE SET count = daily_counts.count + excluded.count
                """
            )
        }
    }

    /// The counts of a project since a day. They are read as they were added: nothing is summed up here.
    ///
    /// - Parameter tenantKey: One tenant, empty for the project itself, ``DailyCount/Key/everywhere`` for both and all.
    package func dailyCounts(_ projectID: String, tenantKey: String, since day: Int64, limit: Int) throws -> [DailyCount] {
        try query(
            """
            SELECT day, metric, label, count FROM daily_counts
            WHERE project_id = \(projectID) AND tenant_id = \(tenantKey) AND day >= \(day)
            ORDER BY day, metric, label LIMIT \(limit)
            """
        ).map { row in
            let key = DailyCount.Key(
                projectID: projectID,
                tenantKey: tenantKey,
                day: try row.integer("day"),
                metric: try row.text("metric"),
                label: try row.text("label")
            )
            return DailyCount(key: key, count: try row.integer("count"))
        }
    }

    /// Deletes counts of days before a day, in one small batch.
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
