package import Project
package import Storage
import Tenancy

/// Counts the users whom policies about passwords and second factors concern.
package struct PolicyEffect: UsesRuntime {
    let runtime: Runtime

    /// How many accounts are looked at.
    package static let most = 10_000

    /// Counts.
    ///
    /// - Returns: The counts over the first ``most`` accounts.
    package func census(_ context: CallContext) async throws -> AccountCensus {
        let scope = context.scope
        if scope.tenantID != nil { try await configurations.requireServed(scope) }
        return try await database.read { try $0.accountCensus(scope, limit: Self.most) }
    }
}
