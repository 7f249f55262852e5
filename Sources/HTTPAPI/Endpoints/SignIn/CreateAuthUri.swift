import Accounts
import Federation
import Project

/// `accounts:createAuthUri`: finds the sign-in methods of an address, and begins a sign-in at an identity provider
/// (`Docs/Contract/client-accounts.md` §7).
struct CreateAuthUri: Endpoint {
    static let summary = "Tells the ways in that an address has, or begins a sign-in at an identity provider."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:createAuthUri",
        legacyName: "createAuthUri"
    )

    let creation: AuthURICreation

    struct Body: ProtoDecodable {
        var request = AuthURICreation.Request()

        init(_ body: ProtoObject) throws {
            request.identifier = try body.text("identifier")
            request.continueURI = try body.text("continueUri")
            let providerID = try body.text("providerId")?.lowercased()
            request.providerID = providerID
            request.sessionID = try body.text("sessionId")
            request.scopes = OAuthScopes.parse(try body.string("oauthScope", atMost: 4096) ?? "", providerID: providerID)
            request.customParameters = try Self.parameters(body, providerID: providerID)
            request.wantsCode = try body.text("authFlowType") == "CODE_FLOW"
            request.context = try body.string("context", atMost: 2048)
            request.hostedDomain = try body.text("hostedDomain")
            try body.ignore(texts: ["appId", "oauthConsumerKey", "openidRealm", "otaApp"])
        }

        private static func parameters(_ body: ProtoObject, providerID: String?) throws -> [String: String] {
            let parameters = try body.texts("customParameter", atMost: 2048)
            let own = providerID.flatMap(Providers.facts)?.reservedParameters ?? []
            for name in parameters.keys where own.contains(name) || AuthorizationRequest.reservedParameters.contains(name) {
                throw TransportError.wrongShape("/customParameter/\(name)", "is reserved")
            }
            return parameters
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#CreateAuthUriResponse"
        var authUri: String?
        var providerId: String?
        var registered: Bool?
        var allProviders: [String]?
        let sessionId: String
        var signinMethods: [String]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await creation.create(body.request, context: context)
        return Answer(
            authUri: result.started?.authURI,
            providerId: result.started?.providerID,
            registered: result.known?.isRegistered,
            allProviders: result.known?.providers,
            sessionId: result.sessionID,
            signinMethods: result.known?.methods
        )
    }
}
