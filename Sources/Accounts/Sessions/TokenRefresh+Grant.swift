package import Project

extension TokenRefresh {
    /// Refreshes the session of a request.
    ///
    /// - Throws: `APIError` `MISSING_GRANT_TYPE`, `INVALID_GRANT_TYPE`, `MISSING_REFRESH_TOKEN`, in development
    ///   `INVALID_REFRESH_TOKEN` before them.
    package func refresh(grantType: String?, refreshToken: String?, context: CallContext) async throws -> Result {
        if let refreshToken { try await requireKnown(refreshToken, context: context) }
        guard try require(grantType, .missingGrantType) == "refresh_token" else { throw APIError(.invalidGrantType) }
        return try await refresh(try require(refreshToken, .missingRefreshToken), context: context)
    }
}
