import Federation
import Project
import SAML
import Storage

// Requests to SAML providers. The flow's state travels as RelayState, and comes back with the response.
extension AuthorizationFlows {
    /// Our own page that posts a request to a provider.
    package static let samlPagePath = "/__/auth/saml/request"

    /// A request that a browser posts to a provider.
    package struct SAMLForm: Sendable {
        /// The provider's address.
        package let destination: String
        /// `SAMLRequest`
        package let request: String
        /// `RelayState`
        package let relayState: String
    }

    /// Writes the request of a flow.
    ///
    /// - Returns: The address for the browser: the provider's, or our own page's where the request is posted.
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` when no request can be made of the configuration.
    func samlRequest(
        _ saml: AuthorizationProfile.SAMLRequests,
        _ state: String,
        _ secrets: inout FlowSecrets
    ) throws -> String {
        let config = saml.config
        let request = AuthnRequest(
            issuer: config.serviceProvider,
            destination: config.signOnURL,
            assertionConsumerURL: config.assertionConsumerURL,
            nameIDFormat: config.nameIDFormat,
            issueInstant: environment.now()
        )
        secrets.samlRequestID = request.id
        do {
            switch config.binding {
            case .redirect: return try request.redirectURL(relayState: state, signingKey: saml.signingKey?.privateKey)
            case .post:
                let key = saml.signingKey
                let form = try request.form(relayState: state, signingKey: key?.privateKey, certificate: key?.certificate)
                secrets.samlForm = form.samlRequest
                return continueURLs.publicURL() + Self.samlPagePath + "?" + PercentEncoding.form([("RelayState", state)])
            }
        } catch let error as SAMLRequestError {
            throw APIError(.operationNotAllowed, "No SAML request can be made of the configuration.", cause: error)
        }
    }

    /// Finds the request that our own page posts.
    ///
    /// - Parameters:
    ///   - relayState: The flow's state.
    ///   - projectID: The project served here.
    /// - Returns: The request; `nil` when the flow is unknown, over, has expired or posts nothing.
    /// - Throws: `APIError` as ``ProviderClients/client(_:scope:)``; `StorageError`.
    package func samlForm(_ relayState: String, projectID: String) async throws -> SAMLForm? {
        guard let flow = try await record(.state(relayState), projectID: projectID), flow.answer == nil,
            let secrets = try? seals.secrets(of: flow), let request = secrets.samlForm
        else { return nil }
        let (_, registration) = try await clients.client(flow.providerID, scope: flow.scope)
        guard let config = registration.saml else { return nil }
        return SAMLForm(destination: config.signOnURL, request: request, relayState: relayState)
    }
}
