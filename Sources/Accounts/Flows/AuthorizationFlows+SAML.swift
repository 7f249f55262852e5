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

    /// Where the provider's response is to arrive. The address in the configuration names one host of the handler, and the response
    /// has to come to the host by which the flow began, since only there the browser has the flow's cookie.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` for a flow of the handler whose response would arrive elsewhere.
    func consumer(_ config: SAMLConfig, _ start: Start, domains: [String]) throws -> String {
        let callback = config.assertionConsumerURL
        guard start.mustComeBackHere, !bytesEqual(callback, start.redirectURI) else { return callback }
        guard SAMLConsumers(callback: callback, domains: domains, publicURL: continueURLs.publicURL()).isHandler else {
            throw APIError(.operationNotAllowed, "spConfig.callbackUri is not this handler's address, \(start.redirectURI).")
        }
        return start.redirectURI
    }

    /// Writes the request of a flow.
    ///
    /// - Returns: The address for the browser: the provider's, or our own page's where the request is posted.
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` when no request can be made of the configuration.
    func samlRequest(
        _ saml: AuthorizationProfile.SAMLRequests,
        _ start: Start,
        _ state: String,
        _ secrets: inout FlowSecrets
    ) async throws -> String {
        let config = saml.config
        // The word that OpenID Connect has for it (Core 1.0 §3.1.2.1), for clients without the web handler.
        let demandsNewSignIn = start.isReauthentication || start.customParameters["prompt"] == "login"
        let request = AuthnRequest(
            issuer: config.serviceProvider,
            destination: config.signOnURL,
            assertionConsumerURL: secrets.samlConsumerURL ?? config.assertionConsumerURL,
            nameIDFormat: config.nameIDFormat,
            forceAuthn: demandsNewSignIn,
            issueInstant: environment.now()
        )
        secrets.samlRequestID = request.id
        secrets.samlDemandsNewSignIn = demandsNewSignIn
        let key = saml.signingKey
        do {
            switch config.binding {
            case .redirect:
                return try await Self.writing(saml) { try request.redirectURL(relayState: state, signingKey: key?.privateKey) }
            case .post:
                secrets.samlForm = try await Self.writing(saml) {
                    try request.form(relayState: state, signingKey: key?.privateKey, certificate: key?.certificate).samlRequest
                }
                return continueURLs.publicURL() + Self.samlPagePath + "?" + PercentEncoding.form([("RelayState", state)])
            }
        } catch let error as SAMLRequestError {
            throw APIError(.operationNotAllowed, "No SAML request can be made of the configuration.", cause: error)
        } catch SAMLRefusal.busy {
            throw APIError.overload("Too many SAML requests are being signed. Please try again later.")
        }
    }

    // A signature takes a processor for a millisecond, and many requests may begin at once.
    private static func writing(
        _ saml: AuthorizationProfile.SAMLRequests,
        _ write: @escaping @Sendable () throws -> String
    ) async throws -> String {
        try await saml.signingKey == nil ? write() : saml.threads.run(write)
    }

    /// Finds the request that our own page posts.
    package func samlForm(_ relayState: String, projectID: String) async throws -> SAMLForm? {
        guard let flow = try await record(.state(relayState), projectID: projectID), flow.answer == nil,
            let secrets = try? seals.secrets(of: flow), let request = secrets.samlForm
        else { return nil }
        let (_, registration) = try await clients.client(flow.providerID, scope: flow.scope)
        guard let config = registration.saml else { return nil }
        return SAMLForm(destination: config.signOnURL, request: request, relayState: relayState)
    }
}
