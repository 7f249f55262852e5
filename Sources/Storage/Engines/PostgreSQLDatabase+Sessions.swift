import Foundation

extension PostgreSQLDatabase {
    /// Checks that a connection is one session of the server.
    ///
    /// Behind a pooler that gives each transaction another session (pgbouncer's `pool_mode = transaction`) neither the timeouts of a
    /// connection nor its prepared statements hold (threat case OPS-10).
    ///
    /// - Throws: ``StorageError/unavailable(_:)`` when it is not, and when the server cannot be reached.
    package func checkSessions() async throws {
        let (address, limits) = (address, limits)
        let areKept = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
            // Calls of libpq block.
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        do {
                            return try Self.keepsSessions(address, limits)
                        } catch let failure as PostgreSQLFailure {
                            throw failure.storageError
                        }
                    }
                )
            }
            thread.name = "postgresql.sessions"
            thread.start()
        }
        guard areKept else {
            throw StorageError.unavailable(
                """
                PostgreSQL: transactions of one connection ran in different sessions of the server; a pooler between them must keep \
                sessions (pgbouncer: pool_mode = session)
                """
            )
        }
    }

    private static func keepsSessions(_ address: PostgreSQLAddress, _ limits: Limits) throws -> Bool {
        let first = try PostgreSQLConnection(to: address, timeouts: limits.timeouts)
        // A pooler in turn gives another session already here.
        let session = try first.beginShowingSession()
        first.endWithoutWaiting("COMMIT")
        guard try first.beginShowingSession() == session else { return false }
        // Until it is done, the pooler has another session for the other client.
        try first.commit()
        // The usual pooler gives the session that was used last, so another client takes it and holds it. A pooler lets that client in; a
        // server that has no second connection mixes none.
        guard limits.connections > 1, let second = try? PostgreSQLConnection(to: address, timeouts: limits.timeouts) else {
            return true
        }
        guard try second.beginShowingSession() != session else { return false }
        return try first.beginShowingSession() == session
    }
}
