import Logging
import Project

extension CredentialVerifier {
    // Development believes credentials unverified, as the emulator does (ruling 24). With `verifiesSigned`, credentials that a
    // configured provider signed are verified. Credentials that only the provider can read are always verified.
    func verifyInDevelopment(
        _ credential: IdPCredential,
        standIn: JSONValue?,
        by found: Found,
        verifies: Bool
    ) async throws -> VerifiedIdentity {
        let unverified = try DevelopmentCredential.read(credential)
        if let claims = unverified.flatMap({ $0.isSigned ? nil : $0.claims }) ?? standIn {
            logger.info("unsigned credential accepted in development", metadata: ["provider": "\(credential.providerID)"])
            return try DevelopmentCredential.identity(claims: claims, credential: credential)
        }
        if !verifies, let claims = unverified?.claims {
            logger.info("unverified credential accepted in development", metadata: ["provider": "\(credential.providerID)"])
            return try DevelopmentCredential.identity(claims: claims, credential: credential)
        }
        let reason: String
        let refusal: any Error
        if let config = found.config, config.isEnabled, let provider = found.provider {
            do {
                return try await provider.verify(credential, config: config)
            } catch let error as ProviderError where error.isUnreachable {
                reason = "it cannot be reached"
                refusal = error.apiError
            } catch let error as ProviderError {
                throw error.apiError
            }
        } else {
            reason = "the provider is not configured"
            refusal = DevelopmentCredential.Opaque()
        }
        guard let claims = unverified?.claims else { throw refusal }
        logger.warning(
            "unverified credential accepted in development",
            metadata: ["provider": "\(credential.providerID)", "reason": "\(reason)"]
        )
        return try DevelopmentCredential.identity(claims: claims, credential: credential)
    }
}
