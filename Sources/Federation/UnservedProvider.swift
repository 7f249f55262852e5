package import Project

extension APIError {
    /// The refusal of a provider id that no sign-in is served for: SAML can be configured, and not be signed in with yet.
    ///
    /// - Parameter config: Its configuration, if it has any.
    /// - Returns: `OPERATION_NOT_ALLOWED` for configured SAML, `INVALID_PROVIDER_ID` for everything else.
    package static func unserved(_ config: IdPConfig?) -> APIError {
        guard let config, config.isSAML else { return APIError(.invalidProviderID) }
        return APIError(
            .operationNotAllowed,
            config.isEnabled ? "SAML sign-in is not available." : "The identity provider configuration is disabled."
        )
    }
}
