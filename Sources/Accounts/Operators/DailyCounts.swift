import Logging
package import Project
package import Storage

/// Counts what happens on each day, for the operators' overview.
///
/// Events are noted in memory and added to the store every few seconds: a row of the day that each sign-in wrote would make all of them
/// wait for one another. A process that is killed loses what it noted since.
package final class DailyCounts: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let state = LockedState(State())

    /// What is counted. The labels of each come from a bounded set.
    package enum Metric: String, Sendable, CaseIterable {
        /// Sign-ins, by provider.
        case signIns
        /// Refused sign-ins, by error code.
        case refusals
        /// New users, by provider.
        case newUsers
        /// Users, and sessions of users, first seen on that day.
        case active
        /// ID tokens for refresh tokens.
        case refreshes
        /// Messages handed to the outbox, by kind.
        case mails
        /// Codes sent by SMS, by region.
        case smsSent
        /// Codes of messages that were entered, by region.
        case smsRedeemed
    }

    private struct State: Sendable {
        var waiting: [DailyCount.Key: Int64] = [:]
        var isWriting = false
        var isFailing = false
    }

    // Labels beyond it are counted together.
    private static let maximumWaiting = 4096
    private static let maximumLabel = 64
    /// The label of what has none, or too many.
    static let other = "other"

    package init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// The day of a time: days since 1970, UTC.
    package static func day(of time: Timestamp) -> Int64 { time.milliseconds / 86_400_000 }

    /// Notes an event. Nothing is read or written here.
    func note(_ metric: Metric, _ label: String = "", in scope: Scope) {
        let label = label.utf8.count <= Self.maximumLabel ? label : Self.other
        let day = Self.day(of: environment.now())
        state.withLock { state in
            var key = Self.key(scope, day, metric, label)
            if state.waiting[key] == nil, state.waiting.count >= Self.maximumWaiting {
                key = Self.key(scope.project, day, metric, Self.other)
                // A flood of tenants and labels while the store is away is not counted.
                guard state.waiting[key] != nil || state.waiting.count < 2 * Self.maximumWaiting else { return }
            }
            state.waiting[key, default: 0] += 1
        }
    }

    private static func key(_ scope: Scope, _ day: Int64, _ metric: Metric, _ label: String) -> DailyCount.Key {
        DailyCount.Key(
            projectID: scope.projectID,
            tenantKey: scope.tenantKey,
            day: day,
            metric: metric.rawValue,
            label: label
        )
    }

    // Strangers name tenants in calls that are refused, and must not fill the table with names of their own.
    private static func known(_ counts: [DailyCount], in transaction: Transaction) throws -> [DailyCount] {
        let tenants = Set(
            counts.map(\.key).filter { !$0.tenantKey.isEmpty }.map { Scope(projectID: $0.projectID, tenantID: $0.tenantKey) }
        )
        let unknown = try tenants.filter { scope in
            try transaction.resource(scope.project, kind: .tenant, resourceID: scope.tenantKey) == nil
        }
        return counts.map { count in
            let scope = Scope(projectID: count.key.projectID, tenantID: count.key.tenantKey)
            return unknown.contains(scope) ? count.counted(for: "") : count
        }
    }

    // The overview of a project reads sums, since it may have thousands of tenants.
    private static func withSums(_ counts: [DailyCount]) -> [DailyCount] {
        var sums: [DailyCount.Key: Int64] = [:]
        for count in counts { sums[count.counted(for: DailyCount.Key.everywhere).key, default: 0] += count.count }
        return counts + sums.map { DailyCount(key: $0.key, count: $0.value) }
    }

    /// Adds what was noted to the store. One call writes at a time; another returns at once.
    package func write() async {
        let taken = state.withLock { state -> [DailyCount] in
            guard !state.isWriting, !state.waiting.isEmpty else { return [] }
            state.isWriting = true
            defer { state.waiting = [:] }
            return state.waiting.map { DailyCount(key: $0.key, count: $0.value) }
        }
        guard !taken.isEmpty else { return }
        var failure: (any Error)?
        do { try await database.write { try $0.add(Self.withSums(Self.known(taken, in: $0))) } } catch { failure = error }
        let begins = state.withLock { state in
            state.isWriting = false
            let begins = failure != nil && !state.isFailing
            state.isFailing = failure != nil
            if failure != nil { for count in taken { state.waiting[count.key, default: 0] += count.count } }
            return begins
        }
        if begins, let failure {
            environment.logger.warning("daily counts not written", metadata: ["error": "\(failure.plainText)"])
        }
    }
}

extension DailyCount {
    fileprivate func counted(for tenantKey: String) -> DailyCount {
        let key = Key(projectID: key.projectID, tenantKey: tenantKey, day: key.day, metric: key.metric, label: key.label)
        return DailyCount(key: key, count: count)
    }
}
