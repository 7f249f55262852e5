package import Project
import Storage
import Tenancy

/// Sends a code to sign in with (`Docs/Contract/phone-and-mfa.md` §1).
package struct PhoneCodeSender: UsesRuntime {
    let runtime: Runtime
    let codes: SMSCodeService

    /// Sends a code.
    ///
    /// - Returns: `sessionInfo`
    package func send(phoneNumber: String?, proof: AppProof, context: CallContext) async throws -> String {
        let scope = context.scope
        let policy = try await configurations.configuration(of: scope).phone
        guard scope.tenantID == nil else { throw APIError(.unsupportedTenantOperation) }
        if mode.heedsPhoneSwitch, !policy.allowsSignIn { throw APIError(.operationNotAllowed) }
        guard let number = policy.canonical(phoneNumber, mode: mode) else {
            throw APIError(.invalidPhoneNumber, "Invalid format.")
        }
        let owner = try await database.read { try $0.account(scope, phoneNumber: number) }
        if owner?.secondFactors.isEmpty == false { throw SignInProof.ProvenPhone.hasSecondFactors }
        let request = SMSCodeRequest(phoneNumber: number, purpose: .signIn, proof: proof)
        return try await codes.send(request, context: context)
    }
}
