package import Federation
package import Project
import Storage
import Tokens

extension AuthorizationFlows {
    /// What a flow brings: credentials that are verified like any other.
    package struct Arrival: Sendable {
        package let credential: IdPCredential
        /// The ID token that came through the browser beside a code; it is verified as well.
        package let beside: IdPCredential?
    }

    /// What a completed flow has proven.
    package struct Proof: Sendable {
        package let identity: VerifiedIdentity
        /// The client's own `context`.
        package let context: String?
        /// Whether the client brings the answer once more, because it did not get what came of it the first time.
        package var isRepetition = false
    }

    /// Completes a flow with the provider's answer. Once the session id fits, the flow is over, even if a later step fails. What has begun
    /// is finished though the client hangs up: codes are good once. Where the client could not be told, it may bring the same answer once
    /// more (ruling 43).
    ///
    /// - Parameter answer: The answer that the client sent; an answer that the web handler stored replaces it.
    /// - Throws: `APIError` `INVALID_IDP_RESPONSE`, `MISSING_OR_INVALID_NONCE`, `USER_CANCELLED`, and as
    ///   ``ProviderClients/client(_:scope:)``; the errors of `verify`.
    package func complete(
        _ answer: AuthorizationAnswer,
        sessionID: String?,
        context: CallContext,
        verify: @escaping @Sendable (Arrival) async throws -> VerifiedIdentity
    ) async throws -> Proof {
        do {
            guard let flow = try await flow(of: answer, scope: context.scope) else {
                return try await repeated(answer, sessionID: sessionID, context: context)
            }
            // Clients need not name the provider, and a refusal says whose sign-in it was.
            context.refusalFacts.note(provider: flow.providerID)
            let (provider, registration) = try await clients.client(flow.providerID, scope: context.scope)
            context.refusalFacts.pass(.methodEnabled)
            guard registration.clientID == flow.clientID else { throw Self.unknownFlow }
            guard let sessionID, constantTimeEqual(sha256(sessionID.utf8), flow.sessionHash) else {
                throw ProviderError(.state, "The session id does not belong to the sign-in flow.")
            }
            return try await answered(flow, by: answer, context) { secrets in
                try await verify(try await arrival(flow, answer, secrets, provider, registration, context))
            }
        } catch let error as ProviderError {
            throw error.apiError
        } catch let error as TokenSealer.CannotOpen {
            throw APIError(.invalidIdPResponse, Self.unknownFlow.reason, cause: error)
        }
    }

    private func arrival(
        _ flow: AuthorizationFlowRecord,
        _ answer: AuthorizationAnswer,
        _ secrets: FlowSecrets,
        _ provider: any AuthorizationProvider,
        _ registration: ClientRegistration,
        _ context: CallContext
    ) async throws -> Arrival {
        let answer = try keptAnswer(of: flow) ?? answer
        try checkError(answer)
        let profile = try await provider.profile(for: registration, secrets.selection)
        try checkIssuer(answer, profile)
        var credential = try await credential(answer, flow, secrets, profile, context)
        let beside = profile.grant == .codeAndIDToken ? try reconcile(&credential, answer.idToken) : nil
        if profile.usesNonce { for credential in [credential, beside].compactMap({ $0 }) { try checkNonce(credential) } }
        return Arrival(credential: credential, beside: beside)
    }

    /// Exchanges a code that an app on the user's device obtained, without a flow of this server
    /// (`Docs/Contract/client-accounts.md` §5.2, server auth code).
    ///
    /// - Parameters:
    ///   - credential: One that has more than a code is returned unchanged.
    ///   - redirectURI: The one that the code was requested with. Device apps have none; an empty one is sent for them.
    package func exchangingServerAuthCode(
        _ credential: IdPCredential,
        redirectURI: String?,
        scope: Scope
    ) async throws -> IdPCredential {
        guard let code = credential.authorizationCode, credential.idToken == nil, credential.accessToken == nil,
            try await clients.isReady(credential.providerID, scope: scope)
        else { return credential }
        let (provider, registration) = try await clients.client(credential.providerID, scope: scope)
        do {
            let profile = try await provider.profile(for: registration, AuthorizationSelection())
            guard profile.takesServerAuthCodes else { return credential }
            var exchanged = credential
            exchanged.take(
                try await tokens.exchange(code: code, redirectURI: redirectURI ?? "", verifier: nil, profile)
            )
            return exchanged
        } catch let error as ProviderError {
            throw error.apiError
        }
    }

    static let unknownFlow = ProviderError(.state, "The sign-in flow is unknown, over, or has expired.")

    private func flow(of answer: AuthorizationAnswer, scope: Scope) async throws -> AuthorizationFlowRecord? {
        guard let key = answer.key else { throw Self.unknownFlow }
        let hash = sha256(key.text.utf8)
        let flow = try await database.read { try $0.authorizationFlow(projectID: scope.projectID, stateHash: hash) }
        guard let flow else { return nil }
        guard flow.scope == scope, environment.now() < flow.expiresAt else { throw Self.unknownFlow }
        // The answer of one provider must not complete the flow of another (RFC 9700 §4.4).
        if let named = answer.providerID, named != flow.providerID { throw Self.unknownFlow }
        return flow
    }

    private func keptAnswer(of flow: AuthorizationFlowRecord) throws -> AuthorizationAnswer? {
        try seals.answer(of: flow).flatMap { AuthorizationAnswer(CredentialForm(requestURI: "", postBody: $0)) }
    }

    private func checkError(_ answer: AuthorizationAnswer) throws {
        guard answer.error != nil else { return }
        if answer.isCancelled { throw APIError(.userCancelled) }
        throw ProviderError(.state, "The identity provider answered with an error.")
    }

    // Checks `iss` of the answer (RFC 9207 §2.4).
    private func checkIssuer(_ answer: AuthorizationAnswer, _ profile: AuthorizationProfile) throws {
        if answer.issuer == nil, !profile.requiresIssuer { return }
        guard !profile.issuers.isEmpty else { return }
        guard profile.issuers.containsBytes(of: answer.issuer) else {
            throw ProviderError(.state, "The answer comes from another identity provider (iss).")
        }
    }

    private func credential(
        _ answer: AuthorizationAnswer,
        _ flow: AuthorizationFlowRecord,
        _ secrets: FlowSecrets,
        _ profile: AuthorizationProfile,
        _ context: CallContext
    ) async throws -> IdPCredential {
        var credential = IdPCredential(providerID: flow.providerID, nonce: secrets.nonce, user: answer.user)
        switch profile.grant {
        case .oauth1:
            guard let verifier = answer.verifier, bytesEqual(answer.requestToken, secrets.requestToken),
                let endpoint = profile.tokenEndpoint
            else { throw ProviderError(.state, "The answer has no verifier.") }
            var consumer = profile.consumer
            consumer.token = secrets.requestToken
            consumer.tokenSecret = secrets.requestTokenSecret
            credential.take(
                try await throttle.outgoingCall(context: context) { [consumer] in
                    try await oauth1.accessToken(verifier: verifier, endpoint: endpoint, consumer)
                }
            )
            return credential
        case .idToken:
            credential.idToken = answer.idToken
            credential.idTokenOrigin = .browser
        case .saml:
            guard let requestID = secrets.samlRequestID,
                let consumer = secrets.samlConsumerURL ?? profile.saml?.config.assertionConsumerURL
            else { throw Self.unknownFlow }
            credential.samlResponse = answer.samlResponse
            credential.samlRequest = .init(
                id: requestID,
                sentAt: flow.createdAt,
                assertionConsumerURL: consumer,
                demandsNewSignIn: secrets.samlDemandsNewSignIn ?? false
            )
        case .code, .codeAndIDToken:
            guard let code = answer.code else { throw ProviderError(.state, "The answer has no authorization code.") }
            credential.authorizationCode = code
            if profile.tokenEndpoint != nil {
                credential.take(
                    try await throttle.outgoingCall(context: context) {
                        try await tokens.exchange(
                            code: code,
                            redirectURI: flow.redirectURI,
                            verifier: secrets.codeVerifier,
                            profile
                        )
                    }
                )
                credential.idTokenOrigin = .tokenEndpoint
            }
        }
        return credential
    }

    // The token endpoint's ID token is preferred. The browser's must be of the same user; it replaces a token that is missing or
    // has no nonce (OpenID Connect Core 1.0 §3.3.3.6). Otherwise it is returned, and is verified as well (§3.3.2.12).
    private func reconcile(_ credential: inout IdPCredential, _ fromBrowser: String?) throws -> IdPCredential? {
        guard let fromBrowser else { return nil }
        var beside = credential
        beside.idToken = fromBrowser
        beside.idTokenOrigin = .browser
        // The browser's ID token was not issued with this access token.
        beside.accessToken = nil
        guard let own = credential.idToken.flatMap({ try? CompactJWS($0) })?.payload else {
            credential.idToken = fromBrowser
            credential.idTokenOrigin = .browser
            return nil
        }
        let other = try? CompactJWS(fromBrowser).payload
        guard ["sub", "iss"].allSatisfy({ bytesEqual(own[$0]?.string, other?[$0]?.string) }) else {
            throw ProviderError(.claims, "The two ID tokens of the answer are of different users.")
        }
        guard own["nonce"]?.string == nil else { return beside }
        credential.idToken = fromBrowser
        credential.idTokenOrigin = .browser
        return nil
    }

    // This check is stricter than for tokens that apps bring: the ID token must have this flow's nonce in the form that was sent.
    // The provider's verifier checks the token's signature and everything else.
    private func checkNonce(_ credential: IdPCredential) throws {
        guard let idToken = credential.idToken else {
            throw ProviderError(.state, "The identity provider gave no ID token.")
        }
        let claim = (try? CompactJWS(idToken))?.payload["nonce"]?.string
        guard let claim, let nonce = credential.nonce, constantTimeEqual(claim, AuthorizationRequest.sentNonce(nonce)) else {
            throw APIError(.missingOrInvalidNonce, "The nonce in the ID token is not that of the sign-in flow.")
        }
    }
}

extension IdPCredential {
    fileprivate mutating func take(_ tokens: TokenAnswer) {
        idToken = tokens.idToken
        accessToken = tokens.accessToken
        tokenSecret = tokens.tokenSecret
        refreshToken = tokens.refreshToken
        accessTokenSeconds = tokens.expiresIn
        grantedScopes = tokens.scope
        isExchanged = true
    }
}
