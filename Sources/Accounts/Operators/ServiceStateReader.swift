import Passwords
package import Storage

/// How busy the service is at this moment.
package struct ServiceState: Sendable {
    /// Messages that wait or are on their way. All nodes share the outboxes.
    package let outboxes: [(kind: OutboxKind, waiting: Int)]
    /// Passwords that this node hashes, and that wait to be hashed.
    package let hashes: (running: Int, waiting: Int)
    /// Transactions of this node that wait for their turn.
    package let transactions: Int
    /// How busy this node's connections to the store are.
    package let pools: [StorePool]
    /// How far standbys are behind; `nil` without standbys.
    package let replication: Replication?
}

/// Reads how busy the service is, for operators.
package struct ServiceStateReader: Sendable {
    let database: any Database
    let hasher: PasswordHasher

    /// Reads it.
    package func read() async throws -> ServiceState {
        let outboxes = try await database.read { transaction in
            try OutboxKind.allCases.map { (kind: $0, waiting: try transaction.countWaitingOutboxMessages(in: $0)) }
        }
        let load = hasher.load
        return ServiceState(
            outboxes: outboxes,
            hashes: (running: load.running, waiting: load.waiting),
            transactions: database.waitingCount,
            pools: database.pools,
            // Other servers of PostgreSQL's protocol have no such view.
            replication: try? await database.replication()
        )
    }
}
