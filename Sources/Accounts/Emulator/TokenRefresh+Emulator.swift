import Project
import Storage
import Tokens

extension TokenRefresh {
    /// Makes sure that a refresh token is one of ours before anything else is asked of the call, as the emulator does, which reads the
    /// tenant from it; production does not.
    ///
    /// - Parameters:
    ///   - refreshToken: What the client presents.
    ///   - context: The call; its scope names the project that the token must be of.
    /// - Throws: `APIError` `INVALID_REFRESH_TOKEN`; `StorageError`.
    package func requireKnown(_ refreshToken: String, context: CallContext) async throws {
        guard mode.looksUpRefreshTokensFirst else { return }
        let token = RefreshToken(respelled: refreshToken)
        let session = try await database.read { try $0.session(tokenHash: token.hash) }
        guard session?.scope.projectID == context.scope.projectID else { throw APIError(.invalidRefreshToken) }
    }
}
