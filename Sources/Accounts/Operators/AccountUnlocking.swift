package import Project
package import Storage

/// Ends the delays of an account after wrong passwords and wrong codes, for operators.
package struct AccountUnlocking: Sendable {
    let database: any Database
    let environment: ServerEnvironment

    /// Forgets the wrong passwords and codes that were counted against an account, from all addresses, with the delays that they
    /// began. Limits of networks stay.
    package func unlock(_ account: AccountRecord, context: CallContext) async throws -> Bool {
        var buckets = [AccountBucket.secondFactors(of: account.localID, from: nil).name]
        if let email = account.email { buckets.append(ThrottleBucket.passwords(of: email, from: nil)) }
        let event = context.auditEvent(.unlock, of: account.localID, by: environment)
        return try await database.write { [buckets] transaction in
            var removed = 0
            for bucket in buckets { removed += try transaction.resetThrottles(context.scope, bucket: bucket) }
            try transaction.insertAuditEvent(context.scope, event)
            return removed > 0
        }
    }
}
