package import Project
import Storage
import Tokens

extension TokenRefresh {
    /// Checks in development that a refresh token is known before anything else of the call is checked, as the emulator does,
    /// which reads the tenant from it. Does nothing in production.
    ///
    /// - Throws: `APIError` `INVALID_REFRESH_TOKEN`.
    package func requireKnown(_ refreshToken: String, context: CallContext) async throws {
        guard mode.looksUpRefreshTokensFirst else { return }
        let token = RefreshToken(respelled: refreshToken)
        let session = try await database.read { try $0.session(tokenHash: token.hash) }
        guard session?.scope.projectID == context.scope.projectID else { throw APIError(.invalidRefreshToken) }
    }
}
