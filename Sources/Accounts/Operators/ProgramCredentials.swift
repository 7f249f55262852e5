package import Project
package import Storage
import Tokens

/// The credentials of programs, as operators make and end them: service accounts and named tokens of administrators. The rules are
/// those of the registries, which the commands use as well.
package struct ProgramCredentials: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let sealer: TokenSealer
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// The project's service accounts.
    package func serviceAccounts(_ context: CallContext) async throws -> [ServiceAccount] {
        try await registry(context).list()
    }

    /// The project's named tokens, the latest first; those that have ended, too.
    package func tokens(_ context: CallContext) async throws -> [AdminTokenRecord] {
        try await tokenRegistry(context).list().reversed()
    }

    /// Checks the name of a service account that is asked for.
    package func checkServiceAccount(_ name: String, context: CallContext) throws {
        _ = try registry(context).email(of: name)
    }

    /// Checks what a named token is asked for with.
    package func checkToken(_ name: String, scopes: AdminScopes, days: Int?) throws {
        try AdminTokenRegistry.check(name, scopes: scopes, days: days)
    }

    /// Makes a service account.
    ///
    /// - Parameters:
    ///   - name: The part of its e-mail before the `@`.
    ///   - isHeld: Whether the private key stays here, sealed.
    /// - Returns: The account, and its key file unless the key is held. The file alone has the private key.
    package func createServiceAccount(
        _ name: String,
        isHeld: Bool,
        also part: TransactionPart? = nil,
        context: CallContext
    ) async throws -> (account: ServiceAccount, keyFile: JSONValue?) {
        try requireFull(context)
        let registry = registry(context)
        if isHeld { return (try await registry.createHeld(name, sealer: sealer, also: part), nil) }
        return try await registry.create(name, publicURL: publicURL(), also: part)
    }

    /// Removes a service account. Its tokens sign nobody in any more.
    package func deleteServiceAccount(_ email: String, context: CallContext) async throws {
        try requireFull(context)
        try await registry(context).delete(email)
    }

    /// Makes a named token.
    ///
    /// - Returns: The record, and the token, which is stored nowhere.
    package func createToken(
        _ name: String,
        scopes: AdminScopes,
        days: Int?,
        also part: TransactionPart? = nil,
        context: CallContext
    ) async throws -> (record: AdminTokenRecord, token: String) {
        try requireFull(context)
        return try await tokenRegistry(context).create(name, scopes: scopes, days: days, also: part)
    }

    /// Revokes a token.
    package func revokeToken(_ tokenID: String, context: CallContext) async throws {
        try requireFull(context)
        try await tokenRegistry(context).revoke(tokenID)
    }

    // An operator can use the credentials that they make, so a credential has no more rights than its maker.
    private func requireFull(_ context: CallContext) throws {
        guard context.isPrivileged, context.adminScopes.isSuperset(of: .all) else { throw APIError(.insufficientPermission) }
    }

    private func registry(_ context: CallContext) -> ServiceAccountRegistry {
        ServiceAccountRegistry(
            database: database,
            environment: environment,
            projectID: context.scope.projectID,
            actor: context.actor,
            address: context.address
        )
    }

    private func tokenRegistry(_ context: CallContext) -> AdminTokenRegistry {
        AdminTokenRegistry(
            database: database,
            environment: environment,
            projectID: context.scope.projectID,
            actor: context.actor,
            address: context.address
        )
    }
}
