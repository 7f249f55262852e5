package import Federation
package import Project
import Storage
import Tenancy
import Tokens

/// Sign-in, linking and reauthentication with an identity provider's credential (`Docs/Contract/client-accounts.md` §5).
package struct FederatedSignIn: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let throttle: Throttle
    let refusals: RefusalAudit
    let verifier: CredentialVerifier
    let flows: AuthorizationFlows
    let pipeline: SignInPipeline
    let pending: PendingCredentials

    /// The client's request.
    package struct Request: Sendable {
        /// The credential, if the form has one.
        package var credential: IdPCredential?
        /// The provider's answer to a flow; it replaces the credential.
        package var answer: AuthorizationAnswer?
        /// The session id of that flow.
        package var sessionID: String?
        /// The redirect URI that a server auth code was requested with.
        package var redirectURI: String?
        package var pendingToken: String?
        /// The ID token of the account to link to.
        package var idToken: String?
        package var autoCreate = true
        /// `returnIdpCredential`: a refusal by the account decision is answered with the credential.
        package var returnsCredential = false
        /// The merged URL of the form, without any credential, for the error that names it.
        package var description = ""

        package init() {}
    }

    package struct Result: Sendable {
        package let identity: VerifiedIdentity
        /// The account decision; a refusal only where the client asked for the credential.
        package let outcome: SignInOutcome<AcceptedSignIn>
        /// A token for another attempt with the identity, when one is useful.
        package let pendingToken: String?
        package let scope: Scope
        /// The `context` of the client that began the flow.
        package let context: String?
    }

    /// Runs a sign-in.
    ///
    /// - Returns: The identity and the account decision. A refusal by the decision is returned with the credential if the client
    ///   asked for it, and is thrown otherwise.
    package func signIn(_ request: Request, context: CallContext) async throws -> Result {
        let named = request.credential?.providerID ?? request.answer?.providerID
        let result = try await context.refusalFacts.following(named) { try await complete(request, context: context) }
        if case .refused(let code, let heldBy) = result.outcome {
            context.refusalFacts.note(provider: result.identity.providerID)
            let refusal = APIError(code).about(heldBy: heldBy)
            if !request.returnsCredential { throw refusal }
            // The answer is a success that carries the error, so that nobody else records it.
            refusals.record(RefusedCall(refusal, subject: request.idToken.map(RefusedCall.Subject.idToken), context: context))
        }
        return result
    }

    private func complete(_ request: Request, context: CallContext) async throws -> Result {
        var context = context
        // An ID token selects its tenant, so it is read before the configuration. Its errors come after the credential's.
        let linkTo = idTokens.select(request.idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        let proven = try await proof(request, configuration, context: context)
        let identity = proven.identity
        context.refusalFacts.note(provider: identity.providerID)
        context.refusalFacts.pass(.credentialVerified)
        let outcome = try await signIn(proven, request, linkTo, configuration, context)
        return Result(
            identity: identity,
            outcome: outcome,
            pendingToken: try pendingToken(request, identity, outcome, scope: context.scope),
            scope: context.scope,
            context: proven.context
        )
    }

    private func signIn(
        _ proven: AuthorizationFlows.Proof,
        _ request: Request,
        _ linkTo: Swift.Result<VerifiedIDToken, any Error>?,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) async throws -> SignInOutcome<AcceptedSignIn> {
        var proof = SignInProof(
            method: .identityProvider(proven.identity),
            linkTo: try linkTo?.get(),
            // The emulator does not look at it.
            autoCreate: request.autoCreate || !mode.heedsAutoCreate
        )
        proof.usesUpRefusedCredential = request.exchangesRefusedCredential
        proof.isPendingCredential = request.pendingToken != nil
        proof.isRepeatedAnswer = proven.isRepetition
        do {
            return try await pipeline.complete(proof, configuration: configuration, context: context)
        } catch is SignInPipeline.SignInTransaction.MustCountLookUp {
            let lookUp = try await throttle.addressLookUp(context: context)
            proof.mayLookUpAddress = true
            // A call that ends with an error stays counted: most errors come after the decision, and only where the address is free.
            let outcome = try await pipeline.complete(proof, configuration: configuration, context: context)
            if !outcome.tellsOfAddress(isLink: proof.linkTo != nil) { try await throttle.toldNothing(lookUp) }
            return outcome
        }
    }

    private func proof(
        _ request: Request,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) async throws -> AuthorizationFlows.Proof {
        let found = try request.credential.map { try check($0.providerID, configuration, context) }
        if let token = request.pendingToken {
            let identity = try pending.open(token, scope: context.scope)
            if let named = request.credential?.providerID, named != identity.providerID { throw APIError(.invalidPendingToken) }
            // The provider was on when the token was sealed, but may be off now (threat case OID-17).
            context.refusalFacts.note(provider: identity.providerID)
            _ = try check(identity.providerID, configuration, context)
            return .init(identity: identity, context: nil)
        }
        if let answer = request.answer {
            return try await flows.complete(answer, sessionID: request.sessionID, context: context) { arrival in
                try await self.identity(of: arrival, configuration)
            }
        }
        guard let credential = request.credential, let found else {
            throw APIError(
                .invalidCredentialOrProviderID,
                "Invalid IdP response/credential: \(request.description)"
            )
        }
        guard verifier.asksProvider(about: credential, by: found) else {
            return .init(identity: try await verifier.verify(credential, by: found), context: nil)
        }
        let identity = try await throttle.outgoingCall(context: context) {
            let exchanged = try await flows.exchangingServerAuthCode(
                credential,
                redirectURI: request.redirectURI,
                scope: context.scope
            )
            return try await verifier.verify(exchanged, by: found)
        }
        return .init(identity: identity, context: nil)
    }

    private func check(
        _ providerID: String,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) throws -> CredentialVerifier.Found {
        let found = try verifier.checkProvider(providerID, config: configuration.identityProviders[providerID])
        context.refusalFacts.pass(.methodEnabled)
        return found
    }

    private func identity(
        of arrival: AuthorizationFlows.Arrival,
        _ configuration: ScopeConfiguration
    ) async throws -> VerifiedIdentity {
        let providerID = arrival.credential.providerID
        let found = verifier.find(providerID, config: configuration.identityProviders[providerID])
        var identity = try await verifier.verify(arrival.credential, by: found, isExchanged: true)
        if let beside = arrival.beside {
            identity.takeEmail(from: try await verifier.verify(beside, by: found, isExchanged: true))
        }
        return identity
    }

    // A collision returns a pending token, so that the credential can be used once the conflict is solved; so do credentials that
    // are valid for one sign-in only. A pending token never yields another: a chain of them would outlive every revocation.
    private func pendingToken(
        _ request: Request,
        _ identity: VerifiedIdentity,
        _ outcome: SignInOutcome<AcceptedSignIn>,
        scope: Scope
    ) throws -> String? {
        switch outcome {
        case .accepted(let accepted): return try reusable(request, identity, of: accepted.account, scope)
        case .needsConfirmation, .refused:
            if let token = request.pendingToken { return token }
            var identity = identity
            if request.exchangesRefusedCredential { identity.singleUses = [] }
            return try pending.seal(identity, signedInTo: nil, scope: scope)
        }
    }

    private func reusable(
        _ request: Request,
        _ identity: VerifiedIdentity,
        of account: AccountRecord,
        _ scope: Scope
    ) throws -> String? {
        // The SDKs' generic providers rebuild the credential of a flow from it, also where the tokens alone are good again.
        let isFlow = request.answer != nil && identity.refusedAfter != nil
        if request.pendingToken != nil || identity.singleUses.isEmpty && !isFlow { return nil }
        return try pending.seal(identity, signedInTo: account, scope: scope)
    }
}

extension SignInOutcome where Acceptance == AcceptedSignIn {
    /// Whether the outcome says if an account has the identity's address. It does not where others were faster, and the identity has got an
    /// account since the look-up was counted.
    fileprivate func tellsOfAddress(isLink: Bool) -> Bool {
        switch self {
        case .accepted(let accepted): isLink || accepted.isNewUser
        case .needsConfirmation: true
        case .refused(let code, _): code != .federatedUserIDAlreadyLinked
        }
    }
}

extension FederatedSignIn.Request {
    /// Whether a refused link uses its credential up and returns a pending token for it, as Firebase does with Apple's nonces
    /// ("updated credential").
    fileprivate var exchangesRefusedCredential: Bool { returnsCredential && idToken != nil && pendingToken == nil }
}
