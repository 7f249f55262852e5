import Accounts
import Federation
import Foundation
import HTTPTypes
import Project

/// `accounts:createAuthUri`: finds the sign-in methods of an address, and begins a sign-in at an identity provider
/// (`Docs/Contract/client-accounts.md` §7).
struct CreateAuthUri: Endpoint {
    static let summary = "Tells the ways in that an address has, or begins a sign-in at an identity provider."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:createAuthUri",
        legacyName: "createAuthUri"
    )

    let methods: SignInMethods
    let flows: AuthorizationFlows
    let clients: ProviderClients
    let throttle: Throttle
    let mode: ModeRules

    struct Body: ProtoDecodable {
        let identifier: String?
        let continueURI: String?
        let providerID: String?
        let sessionID: String?
        let scopes: [String]
        let customParameters: [String: String]
        let wantsCode: Bool
        let context: String?
        let hostedDomain: String?

        init(_ body: ProtoObject) throws {
            identifier = try body.text("identifier")
            continueURI = try body.text("continueUri")
            providerID = try body.text("providerId")?.lowercased()
            sessionID = try body.text("sessionId")
            scopes = OAuthScopes.parse(try body.string("oauthScope", atMost: 4096) ?? "", providerID: providerID)
            customParameters = try Self.parameters(body, providerID: providerID)
            wantsCode = try body.text("authFlowType") == "CODE_FLOW"
            context = try body.string("context", atMost: 2048)
            hostedDomain = try body.text("hostedDomain")
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

    struct Answer: Encodable {
        let kind = "identitytoolkit#CreateAuthUriResponse"
        var authUri: String?
        var providerId: String?
        var registered: Bool?
        var allProviders: [String]?
        let sessionId: String
        var signinMethods: [String]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if let providerID = body.providerID, mode.refusesWhatEmulatorLacks,
            try await !clients.isReady(providerID, scope: context.scope)
        {
            throw TransportError.notImplemented("Sign-in at an identity provider that is not configured")
        }
        guard body.identifier != nil || body.providerID != nil else { throw APIError(.missingIdentifier) }
        let continueURI = try require(body.continueURI, .missingContinueURI)
        let result =
            if let identifier = body.identifier {
                try await methods.run(identifier: identifier, sessionID: body.sessionID, context: context)
            } else {
                SignInMethods.Result?.none
            }
        guard let parts = URLComponents(string: continueURI), parts.scheme?.isEmpty == false, parts.host?.isEmpty == false else {
            throw APIError(.invalidContinueURI)
        }
        var started: AuthorizationFlows.Started?
        if let providerID = body.providerID {
            var start = AuthorizationFlows.Start(
                providerID: providerID,
                redirectURI: continueURI,
                session: .id(body.sessionID ?? result?.sessionID)
            )
            start.scopes = body.scopes
            start.customParameters = body.customParameters
            start.loginHint = body.identifier
            start.hostedDomain = body.hostedDomain
            start.wantsCode = body.wantsCode
            start.context = body.context
            try await throttle.flow(context: context)
            started = try await flows.start(start, scope: context.scope)
        }
        return Answer(
            authUri: started?.authURI,
            providerId: started?.providerID,
            registered: result?.known?.isRegistered,
            allProviders: result?.known?.providers,
            sessionId: started?.sessionID ?? result?.sessionID ?? "",
            signinMethods: result?.known?.methods
        )
    }
}
