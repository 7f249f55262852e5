package import Project

extension APIError {
    /// The refusal of a provider id that cannot be used to sign in. SAML can be configured, but not used yet.
    ///
    /// - Parameter config: Its configuration; `nil` when there is none.
    /// - Returns: `OPERATION_NOT_ALLOWED` for configured SAML, `INVALID_PROVIDER_ID` for all other ids.
    package static func unserved(_ config: IdPConfig?) -> APIError {
        guard let config, config.isSAML else { return APIError(.invalidProviderID) }
        return APIError(
            .operationNotAllowed,
            config.isEnabled ? "SAML sign-in is not available." : "The identity provider configuration is disabled."
        )
    }
}
