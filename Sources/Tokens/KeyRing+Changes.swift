package import Project
package import Storage

extension SigningKeyRecord {
    /// Whether it is the key that signs.
    var isSigning: Bool { activatedAt != nil && retiredAt == nil }
}

/// What operators and the passing of time change about the keys.
extension KeyRing {
    /// The ring has no key of that id.
    package struct UnknownKey: Error {}

    /// Makes the published successor the signing key, publishes a new successor, and drops keys whose tokens have all expired.
    ///
    /// - Parameter expected: Rotates only while the key of this id signs, so that nodes do not rotate twice; `nil` rotates
    ///   always.
    /// - Returns: The id of the key that signs now.
    @discardableResult
    package func rotate(
        ifCurrentIs expected: String? = nil,
        also part: TransactionPart? = nil,
        context: CallContext? = nil
    ) async throws -> String {
        let successor = try await newKey()
        let purpose = purpose.rawValue
        let now = environment.now()
        let expiry = now - cookieRetention
        let eventID = environment.newEventID()
        try await database.write { transaction in
            try part?(transaction)
            let current = try transaction.signingKeys(purpose: purpose).last(where: \.isSigning)
            if let expected, current?.kid != expected { return }
            try transaction.retireSigningKey(purpose: purpose, at: now)
            _ = try transaction.activateNextSigningKey(purpose: purpose, at: now)
            try transaction.insertSigningKey(successor)
            try transaction.deleteSigningKeys(purpose: purpose, retiredBefore: expiry)
            try transaction.record(.signingKeyRotated, current?.kid, context, id: eventID, at: now)
        }
        try await refresh()
        return try current().kid
    }

    /// Forgets a key, so that nothing that it signed is good any more. Its successor signs if it was the signing key, and there is a
    /// published successor afterwards in every case.
    ///
    /// - Parameter kid: The key, which signs, waits or has ceased to sign.
    /// - Returns: The id of the key that signs now.
    /// - Throws: ``UnknownKey``.
    package func revoke(_ kid: String, also part: TransactionPart? = nil, context: CallContext) async throws -> String {
        let successor = try await newKey()
        let purpose = purpose.rawValue
        let now = environment.now()
        let eventID = environment.newEventID()
        try await database.write { transaction in
            try part?(transaction)
            guard try transaction.deleteSigningKey(kid, purpose: purpose) else { throw UnknownKey() }
            let keys = try transaction.signingKeys(purpose: purpose)
            if !keys.contains(where: \.isSigning) {
                _ = try transaction.activateNextSigningKey(purpose: purpose, at: now)
                try transaction.insertSigningKey(successor)
            } else if !keys.contains(where: { $0.activatedAt == nil }) {
                try transaction.insertSigningKey(successor)
            }
            try transaction.record(.signingKeyRevoked, kid, context, id: eventID, at: now)
        }
        try await refresh()
        return try current().kid
    }

    /// Forgets every key and makes new ones, so that nothing that any of them signed is good any more.
    ///
    /// - Returns: The id of the key that signs now.
    package func replaceAll() async throws -> String {
        var first = try await newKey()
        first.activatedAt = first.createdAt
        let keys = [first, try await newKey()]
        let purpose = purpose.rawValue
        try await database.write { transaction in
            for key in try transaction.signingKeys(purpose: purpose) {
                _ = try transaction.deleteSigningKey(key.kid, purpose: purpose)
            }
            for key in keys { try transaction.insertSigningKey(key) }
        }
        try await refresh()
        return try current().kid
    }

    /// Rotates when the signing key has signed for longer than `days` (`tokens.keyRotationDays`).
    package func rotateIfDue(days: Int) async throws {
        guard let current = loaded.withLock({ $0?.signing }), let activated = current.activatedAt else { return }
        guard environment.now() >= activated.advanced(by: .seconds(86_400 * days)) else { return }
        try await rotate(ifCurrentIs: current.kid)
    }
}

extension Transaction {
    fileprivate func record(_ kind: AuditEvent.Kind, _ kid: String?, _ context: CallContext?, id: String, at time: Timestamp)
        throws
    {
        guard let context else { return }
        let event = context.auditEvent(kind, of: nil, ["kid": kid.map(JSONValue.string) ?? .null], id: id, at: time)
        try insertAuditEvent(context.scope, event)
    }
}
