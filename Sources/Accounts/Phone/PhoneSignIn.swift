package import Project
import Storage
import Tenancy
import Tokens

/// Signs in with a phone number, links one to an account, or changes it (`Docs/Contract/phone-and-mfa.md` §2).
package struct PhoneSignIn: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let codes: SMSCodeService
    let pipeline: SignInPipeline
    let proofs: TemporaryProofs

    /// The client's request.
    package struct Request: Sendable {
        package var sessionInfo: String?
        package var code: String?
        package var temporaryProof: String?
        package var phoneNumber: String?
        package var idToken: String?
        /// `operation: REAUTH`: no account is created.
        package var isReauthentication = false

        package init() {}
    }

    package enum Outcome: Sendable {
        case signedIn(AcceptedSignIn.Session)
        /// The number belongs to another account and nothing changed. With the proof, its owner can sign in.
        case belongsToAnother(phoneNumber: String, temporaryProof: String, expiresInSeconds: Int)
    }

    /// Signs in, links or changes the number.
    package func signIn(_ request: Request, context: CallContext) async throws -> Outcome {
        try await context.refusalFacts.following("phone") { try await signIn(request, context) }
    }

    private func signIn(_ request: Request, _ context: CallContext) async throws -> Outcome {
        var context = context
        let linkTo = idTokens.select(request.idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        guard context.scope.tenantID == nil else { throw APIError(.unsupportedTenantOperation) }
        if mode.heedsPhoneSwitch, !configuration.phone.allowsSignIn { throw APIError(.operationNotAllowed) }
        context.refusalFacts.pass(.methodEnabled)
        var proven = try await prove(request, configuration.phone, context)
        context.refusalFacts.pass(.credentialVerified)
        proven.mustHaveOwner = request.isReauthentication && mode.reauthenticationNeedsAccount
        let proof = SignInProof(method: .phone(proven), linkTo: try linkTo?.get())
        let outcome = try await pipeline.complete(proof, configuration: configuration, context: context)
        if case .refused(.phoneNumberExists, _) = outcome, request.temporaryProof == nil {
            return try await belongsToAnother(proven.number, scope: context.scope)
        }
        return .signedIn(try outcome.session())
    }

    private func belongsToAnother(_ number: String, scope: Scope) async throws -> Outcome {
        let owner = try await database.read { try $0.account(scope, phoneNumber: number) }
        return .belongsToAnother(
            phoneNumber: number,
            temporaryProof: try proofs.seal(number, of: owner, scope: scope),
            expiresInSeconds: proofs.lifetimeSeconds
        )
    }

    private func prove(
        _ request: Request,
        _ policy: PhonePolicy,
        _ context: CallContext
    ) async throws -> SignInProof.ProvenPhone {
        if let proof = request.temporaryProof {
            let number = try require(request.phoneNumber, .missingPhoneNumber)
            return try proofs.open(proof, number: policy.canonical(number, mode: mode), scope: context.scope)
        }
        let sessionInfo = try require(request.sessionInfo, .missingSessionInfo)
        let code = try require(request.code, .missingCode)
        let number = try await codes.redeem(sessionInfo: sessionInfo, code: code, for: .signIn, context: context)
        return SignInProof.ProvenPhone(number: number)
    }
}
