package import Project
package import Storage

/// Sessions of operators: a random token in a cookie, its hash in the store, an idle and an absolute limit (threat case SES-09).
package struct OperatorSessions: Sendable {
    let base: OperatorServices

    private static let confirmationStays = Duration.seconds(300)
    private static let usePrecision = Duration.seconds(60)
    private static let mostSessions = 20
    private static let maximumAgentBytes = 512

    /// Finds the operator of a token.
    ///
    /// - Parameter client: The request that the token came with.
    package func current(_ token: String, from client: CallContext) async throws -> ConsoleOperator {
        guard (1...128).contains(token.utf8.count) else { throw OperatorError.signedOut }
        let (hash, now) = (sha256(token.utf8), base.environment.now())
        let found = try await base.database.read { try live(hash, at: now, in: $0) }
        guard let (session, record) = found, let role = OperatorRole(rawValue: record.role) else {
            throw OperatorError.signedOut
        }
        if session.lastUsedAt.advanced(by: Self.usePrecision) <= now {
            // A failure to note the use does not end the session.
            try? await base.database.write { try $0.touchOperatorSession(base.projectID, hash: hash, at: now) }
        }
        var request = client
        request.actor = ConsoleOperator.actor(record.email)
        return ConsoleOperator(
            operatorID: record.operatorID,
            email: record.email,
            role: role,
            tenantID: record.tenantID,
            formToken: Self.formToken(of: token),
            isConfirmed: now < session.confirmedAt.advanced(by: Self.confirmationStays),
            sessionHash: hash,
            protectedClaim: base.protectedClaim,
            request: request
        )
    }

    /// Whether the session of an operator is still live and the operator's role still the same. This is no use of the session, so a page
    /// that follows events by itself does not keep it.
    package func isLive(_ current: ConsoleOperator) async throws -> Bool {
        let now = base.environment.now()
        guard let (_, record) = try await base.database.read({ try live(current.sessionHash, at: now, in: $0) }) else {
            return false
        }
        return record.role == current.role.rawValue && record.tenantID == current.tenantID
    }

    // Only who has the cookie can make it.
    private static func formToken(of token: String) -> String { Base64URL.encode(sha256("form:\(token)".utf8)) }

    private func live(
        _ hash: [UInt8],
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> (OperatorSessionRecord, OperatorRecord)? {
        guard let session = try transaction.operatorSession(base.projectID, hash: hash), isLive(session, at: now),
            let record = try transaction.consoleOperator(base.projectID, id: session.operatorID)
        else { return nil }
        return (session, record)
    }

    private func isLive(_ session: OperatorSessionRecord, at now: Timestamp) -> Bool {
        now < session.createdAt.advanced(by: base.sessionTime) && now < session.lastUsedAt.advanced(by: base.idleTime)
    }

    /// Stores a session that begins. Of many sessions the one least recently used ends.
    func begin(
        _ hash: [UInt8],
        of record: OperatorRecord,
        from client: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        let (project, id) = (base.projectID, record.operatorID)
        for surplus in try transaction.operatorSessions(project, operatorID: id).dropFirst(Self.mostSessions - 1) {
            _ = try transaction.deleteOperatorSession(project, operatorID: id, hash: surplus.sessionHash)
        }
        let session = OperatorSessionRecord(
            sessionHash: hash,
            operatorID: id,
            at: time,
            address: client.address,
            userAgent: client.userAgent?.cut(toBytes: Self.maximumAgentBytes)
        )
        try transaction.insertOperatorSession(project, session)
    }

    /// The live sessions of an operator. Owners see those of others.
    package func all(of operatorID: String, for reader: ConsoleOperator) async throws -> [OperatorSessionRecord] {
        try reader.requireManagement(of: operatorID)
        let now = base.environment.now()
        return try await base.database.read { try $0.operatorSessions(base.projectID, operatorID: operatorID) }
            .filter { isLive($0, at: now) }
    }

    /// Ends the session of a cookie.
    package func signOut(_ current: ConsoleOperator) async throws {
        let (project, id) = (base.projectID, current.operatorID)
        try await base.change(.operatorSignedOut, by: current.request) { transaction, _ in
            _ = try transaction.deleteOperatorSession(project, operatorID: id, hash: current.sessionHash)
        }
    }

    /// Ends one session of an operator, or all but the present one.
    ///
    /// - Parameter sessionID: The hash of the session in hexadecimal; `nil` for all others.
    package func end(_ sessionID: String?, of operatorID: String, by reader: ConsoleOperator) async throws {
        try reader.requireManagement(of: operatorID)
        let (project, stamp) = (base.projectID, base.changeLog.stamp(reader.request))
        try await base.database.write { transaction throws in
            if operatorID != reader.operatorID { try base.requireStill(reader, in: transaction) }
            var ended = 0
            if let sessionID {
                for session in try transaction.operatorSessions(project, operatorID: operatorID)
                where hexadecimal(session.sessionHash) == sessionID {
                    _ = try transaction.deleteOperatorSession(project, operatorID: operatorID, hash: session.sessionHash)
                    ended += 1
                }
            } else {
                ended = try transaction.deleteOperatorSessions(project, operatorID: operatorID, except: reader.sessionHash)
            }
            let detail: JSONValue = ["operator": .string(operatorID), "count": .integer(Int64(ended))]
            try stamp.record(.operatorSessionsEnded, detail, in: transaction)
        }
    }
}
