import Project
package import Storage

/// Sessions of operators: a random token in a cookie, its hash in the store, an idle and an absolute limit (threat case SES-09).
package struct OperatorSessions: Sendable {
    let base: OperatorGround

    private static let confirmationStays = Duration.seconds(300)
    private static let usePrecision = Duration.seconds(60)
    private static let mostSessions = 20

    /// Finds the operator of a token.
    package func current(_ token: String) async throws -> ConsoleOperator {
        guard (1...128).contains(token.utf8.count) else { throw OperatorError.signedOut }
        let (hash, now, project) = (sha256(token.utf8), base.environment.now(), base.projectID)
        let found = try await base.database.read { transaction -> (OperatorSessionRecord, OperatorRecord)? in
            guard let session = try transaction.operatorSession(project, hash: hash),
                let record = try transaction.consoleOperator(project, id: session.operatorID)
            else { return nil }
            return (session, record)
        }
        guard let (session, record) = found, isLive(session, at: now), let role = OperatorRole(rawValue: record.role) else {
            throw OperatorError.signedOut
        }
        if session.lastUsedAt.advanced(by: Self.usePrecision) <= now {
            // A failure to note the use does not end the session.
            try? await base.database.write { try $0.touchOperatorSession(project, hash: hash, at: now) }
        }
        return ConsoleOperator(
            operatorID: record.operatorID,
            email: record.email,
            role: role,
            tenantID: record.tenantID,
            formToken: Self.formToken(of: token),
            isConfirmed: now < session.confirmedAt.advanced(by: Self.confirmationStays),
            sessionHash: hash,
            projectID: project,
            protectedClaim: base.protectedClaim
        )
    }

    /// Whether the session of an operator is still live and the operator's role still the same. This is no use of the session, so a page
    /// that follows events by itself does not keep it.
    package func isLive(_ current: ConsoleOperator) async throws -> Bool {
        let (now, project) = (base.environment.now(), base.projectID)
        return try await base.database.read { transaction in
            guard let session = try transaction.operatorSession(project, hash: current.sessionHash),
                let record = try transaction.consoleOperator(project, id: session.operatorID)
            else { return false }
            return isLive(session, at: now) && record.role == current.role.rawValue && record.tenantID == current.tenantID
        }
    }

    // Only who has the cookie can make it.
    private static func formToken(of token: String) -> String { Base64URL.encode(sha256("form:\(token)".utf8)) }

    private func isLive(_ session: OperatorSessionRecord, at now: Timestamp) -> Bool {
        now < session.createdAt.advanced(by: base.sessionTime) && now < session.lastUsedAt.advanced(by: base.idleTime)
    }

    /// Draws a session that an operator is about to begin.
    func newSession(
        from client: ConsoleClient,
        at time: Timestamp
    ) -> (token: String, record: @Sendable (String) -> OperatorSessionRecord) {
        let (token, hash) = base.newToken()
        return (
            token,
            { operatorID in
                OperatorSessionRecord(
                    sessionHash: hash,
                    operatorID: operatorID,
                    at: time,
                    address: client.address,
                    userAgent: client.userAgent
                )
            }
        )
    }

    /// Stores a session that begins. Of many sessions the one least recently used ends.
    func begin(_ session: OperatorSessionRecord, in transaction: any Transaction) throws {
        let others = try transaction.operatorSessions(base.projectID, operatorID: session.operatorID)
        for surplus in others.dropFirst(Self.mostSessions - 1) {
            _ = try transaction.deleteOperatorSession(base.projectID, operatorID: session.operatorID, hash: surplus.sessionHash)
        }
        try transaction.insertOperatorSession(base.projectID, session)
    }

    /// The live sessions of an operator. Owners see those of others.
    package func all(of operatorID: String, for reader: ConsoleOperator) async throws -> [OperatorSessionRecord] {
        if operatorID != reader.operatorID { try reader.requireManagement() }
        let now = base.environment.now()
        return try await base.database.read { try $0.operatorSessions(base.projectID, operatorID: operatorID) }
            .filter { isLive($0, at: now) }
    }

    /// Ends the session of a cookie.
    package func signOut(_ current: ConsoleOperator, from client: ConsoleClient) async throws {
        let (now, eventID) = (base.environment.now(), base.environment.newEventID())
        try await base.database.write { transaction throws in
            _ = try transaction.deleteOperatorSession(
                base.projectID,
                operatorID: current.operatorID,
                hash: current.sessionHash
            )
            let event = base.event(.operatorSignedOut, actor: current.actor, client: client, id: eventID, at: now)
            try transaction.insertAuditEvent(base.scope, event)
        }
    }

    /// Ends one session of an operator, or all but the present one.
    ///
    /// - Parameter id: The hash of the session in hexadecimal; `nil` for all others.
    package func end(_ id: String?, of operatorID: String, by reader: ConsoleOperator, from client: ConsoleClient) async throws {
        if operatorID != reader.operatorID { try reader.requireManagement() }
        let (now, project, eventID) = (base.environment.now(), base.projectID, base.environment.newEventID())
        try await base.database.write { transaction throws in
            if operatorID != reader.operatorID { try base.requireStill(reader, in: transaction) }
            var ended = 0
            if let id {
                for session in try transaction.operatorSessions(project, operatorID: operatorID)
                where hexadecimal(session.sessionHash) == id {
                    _ = try transaction.deleteOperatorSession(project, operatorID: operatorID, hash: session.sessionHash)
                    ended += 1
                }
            } else {
                ended = try transaction.deleteOperatorSessions(project, operatorID: operatorID, except: reader.sessionHash)
            }
            let detail: JSONValue = ["operator": .string(operatorID), "count": .integer(Int64(ended))]
            let event = base.event(
                .operatorSessionsEnded,
                actor: reader.actor,
                client: client,
                detail,
                id: eventID,
                at: now
            )
            try transaction.insertAuditEvent(base.scope, event)
        }
    }
}
