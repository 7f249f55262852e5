package import Project

extension TokenRefresh {
    /// Refreshes the session of a request.
    ///
    /// - Parameters:
    ///   - grantType: `grant_type`, as sent.
    ///   - refreshToken: `refresh_token`, as sent.
    ///   - context: The call; its scope names the project of the token.
    /// - Returns: The tokens.
    /// - Throws: `APIError` `MISSING_GRANT_TYPE`, `INVALID_GRANT_TYPE`, `MISSING_REFRESH_TOKEN`, in development
    ///   `INVALID_REFRESH_TOKEN` before them, and as ``run(_:context:)``; `StorageError`.
    package func run(grantType: String?, refreshToken: String?, context: CallContext) async throws -> Result {
        if let refreshToken { try await requireKnown(refreshToken, context: context) }
        guard try require(grantType, .missingGrantType) == "refresh_token" else { throw APIError(.invalidGrantType) }
        return try await run(try require(refreshToken, .missingRefreshToken), context: context)
    }
}
