import Foundation
package import Project

/// `accounts:createAuthUri`: finds the sign-in methods of an address, and begins a sign-in at an identity provider
/// (`Docs/Contract/client-accounts.md` §7).
package struct AuthURICreation: Sendable {
    let mode: ModeRules
    let throttle: Throttle
    let methods: SignInMethods
    let flows: AuthorizationFlows
    let clients: ProviderClients

    package struct Request: Sendable {
        /// The address, as sent.
        package var identifier: String?
        package var continueURI: String?
        /// In lower case.
        package var providerID: String?
        package var sessionID: String?
        /// Scopes beyond the provider's usual ones.
        package var scopes: [String] = []
        package var customParameters: [String: String] = [:]
        /// `authFlowType` is `CODE_FLOW`.
        package var wantsCode = false
        /// Returned to the client after sign-in.
        package var context: String?
        package var hostedDomain: String?

        package init() {}
    }

    package struct Result: Sendable {
        /// The known facts of the address; `nil` without an address, and when accounts are hidden.
        package let known: SignInMethods.Known?
        /// The flow that has begun; `nil` when the request names no provider.
        package let started: AuthorizationFlows.Started?
        /// The client's own session id, or the one drawn for it.
        package let sessionID: String
    }

    /// Looks up the address and begins the flow. The steps are transactions of their own, because the provider may be asked
    /// between them.
    ///
    /// - Throws: ``NotImplemented`` in development.
    package func create(_ request: Request, context: CallContext) async throws -> Result {
        try await refuseUnknownProvider(request.providerID, context.scope)
        guard request.identifier != nil || request.providerID != nil else { throw APIError(.missingIdentifier) }
        let continueURI = try require(request.continueURI, .missingContinueURI)
        var found: SignInMethods.Result?
        if let identifier = request.identifier {
            found = try await methods.find(identifier: identifier, sessionID: request.sessionID, context: context)
        }
        guard Self.isAbsolute(continueURI) else { throw APIError(.invalidContinueURI) }
        let sessionID = request.sessionID ?? found?.sessionID
        let started = try await start(request, redirectURI: continueURI, sessionID: sessionID, context)
        return Result(known: found?.known, started: started, sessionID: started?.sessionID ?? found?.sessionID ?? "")
    }

    private func refuseUnknownProvider(_ providerID: String?, _ scope: Scope) async throws {
        guard let providerID, mode.refusesWhatEmulatorLacks else { return }
        guard try await clients.isReady(providerID, scope: scope) else {
            throw NotImplemented("Sign-in at an identity provider that is not configured")
        }
    }

    private func start(
        _ request: Request,
        redirectURI: String,
        sessionID: String?,
        _ context: CallContext
    ) async throws -> AuthorizationFlows.Started? {
        guard let providerID = request.providerID else { return nil }
        var start = AuthorizationFlows.Start(providerID: providerID, redirectURI: redirectURI, session: .id(sessionID))
        start.scopes = request.scopes
        start.customParameters = request.customParameters
        start.loginHint = request.identifier
        start.hostedDomain = request.hostedDomain
        start.wantsCode = request.wantsCode
        start.context = request.context
        try await throttle.flow(context: context)
        return try await flows.start(start, scope: context.scope)
    }

    private static func isAbsolute(_ uri: String) -> Bool {
        guard let parts = URLComponents(string: uri) else { return false }
        return parts.scheme?.isEmpty == false && parts.host?.isEmpty == false
    }
}
