package import Project
import Storage
import Tokens

/// Recognizes the stored bearer tokens: administrators' named tokens, and the access tokens of service accounts.
///
/// Each request looks its token up, so a token revoked on any node is refused here at once or a second later.
package struct AdminCredentials: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let serviceAccounts: ServiceAccountDirectory
    let projectID: String
    let accessTokens: ServiceAccountAccessTokens

    // The least time between two notes of a token's use; noting each use would be a write with each request.
    private static let usePrecision = Duration.seconds(60)
    private static let maximumLength = 4096

    /// Finds the administrator behind a token.
    package func administrator(bearing token: String) async throws -> Administrator? {
        guard token.utf8.count <= Self.maximumLength else { return nil }
        if token.hasPrefix(AdminTokenRegistry.prefix) { return try await named(token) }
        if token.hasPrefix(ServiceAccountAccessTokens.prefix) { return try await serviceAccount(token) }
        return nil
    }

    private func named(_ token: String) async throws -> Administrator? {
        let now = environment.now()
        let hash = sha256(token.utf8)
        guard let record = try await database.read({ try $0.adminToken(hash: hash) }), record.projectID == projectID,
            record.revokedAt == nil, record.expiresAt.map({ now < $0 }) ?? true, let scopes = AdminScopes(text: record.scopes)
        else { return nil }
        if record.lastUsedAt.map({ $0.advanced(by: Self.usePrecision) <= now }) ?? true {
            // A failure to note the use does not refuse the token.
            try? await database.write { try $0.touchAdminToken(record.tokenID, at: now) }
        }
        return Administrator(actor: "admin-token:\(record.name)", scopes: scopes)
    }

    private func serviceAccount(_ token: String) async throws -> Administrator? {
        guard let bearer = accessTokens.open(token, projectID: projectID),
            try await serviceAccounts.keyID(of: bearer.email, projectID: projectID) == bearer.keyID
        else { return nil }
        return Administrator(actor: "service-account:\(bearer.email)", scopes: .all)
    }
}
