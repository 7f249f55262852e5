import Foundation

extension PostgreSQLDatabase {
    /// Checks that a connection always uses the same session of the server.
    ///
    /// A pooler may give each transaction another session (pgbouncer's `pool_mode = transaction`). Then neither the timeouts nor
    /// the prepared statements of a connection can be relied on (threat case OPS-10).
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
        // A pooler that rotates its sessions shows a different one already here.
        let session = try first.beginShowingSession()
        first.endWithoutWaiting("COMMIT")
        guard try first.beginShowingSession() == session else { return false }
        // After this commit the pooler may give the session to another client.
        try first.commit()
        // The usual pooler hands out the session that was used last, so the second client takes it and holds it. A pooler accepts
        // that client. A server without a second connection cannot mix sessions.
        guard limits.connections > 1, let second = try? PostgreSQLConnection(to: address, timeouts: limits.timeouts) else {
            return true
        }
        guard try second.beginShowingSession() != session else { return false }
        return try first.beginShowingSession() == session
    }
}
