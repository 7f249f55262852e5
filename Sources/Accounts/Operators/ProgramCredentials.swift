package import Project
package import Storage
import Tokens

/// The credentials of programs, as operators make and end them: service accounts and named tokens of administrators.
package struct ProgramCredentials: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let sealer: TokenSealer
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// The project's service accounts.
    package func serviceAccounts(_ context: CallContext) -> ServiceAccountRegistry {
        ServiceAccountRegistry(database: database, environment: environment, context: context)
    }

    /// The project's named tokens.
    package func tokens(_ context: CallContext) -> AdminTokenRegistry {
        AdminTokenRegistry(database: database, environment: environment, context: context)
    }

    /// Makes a service account.
    ///
    /// - Parameters:
    ///   - name: The part of its e-mail before the `@`.
    ///   - isHeld: Whether the private key stays here, sealed.
    /// - Returns: The key file unless the key is held. It alone has the private key.
    package func createServiceAccount(
        _ name: String,
        isHeld: Bool,
        also part: TransactionPart? = nil,
        context: CallContext
    ) async throws -> JSONValue? {
        let registry = serviceAccounts(context)
        guard isHeld else { return try await registry.create(name, publicURL: publicURL(), also: part).keyFile }
        _ = try await registry.createHeld(name, sealer: sealer, also: part)
        return nil
    }
}

extension CallContext {
    /// Checks that the caller has every right. Who makes a credential can use it, so it has no more rights than its maker.
    func requireEveryRight() throws {
        guard isPrivileged, adminScopes.isSuperset(of: .all) else { throw APIError(.insufficientPermission) }
    }
}
