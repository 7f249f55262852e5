import Accounts
import Project

/// A refusal of a use case in the words of a command: the code, and a sentence for the operator.
enum RefusalText {
    /// `CODE: sentence`, with the refusal's own text behind it where it has one.
    ///
    /// - Returns: Without characters that control a terminal.
    static func text(_ error: APIError) -> String {
        let told =
            switch (sentences[error.code], error.detail) {
            case (let sentence?, let detail?): "\(sentence) (\(detail))"
            case (let text?, nil), (nil, let text?): text
            case (nil, nil): "the documentation of errors says what it means"
            }
        return TerminalText.printable("\(error.code.rawValue): \(told)")
    }

    /// What the codes mean that commands can meet; `Docs/Errors.md` has all of them.
    static let sentences: [ErrorCode: String] = [
        .aborted: "somebody else changed this at the same time; try again",
        .claimsTooLarge: "custom claims have more than \(CustomClaims.maximumLength) characters",
        .configurationExists: "the provider is configured already",
        .configurationNotFound: "the provider is not configured",
        .duplicateEmail: "the address stands twice in the import",
        .duplicateLocalID: "a user with this id exists",
        .duplicateRawID: "an identity of a provider stands twice in the import",
        .emailExists: "another account has this address",
        .federatedUserIDAlreadyLinked: "another account has this identity",
        .forbiddenClaim: "the name of a custom claim is reserved",
        .invalidClaims: "custom claims are no JSON object",
        .invalidConfig: "the configuration is malformed",
        .invalidConfigID: "the id must begin with oidc. or saml.",
        .invalidEmail: "the address is malformed",
        .invalidHashAlgorithm: "this hash algorithm, or this variant of it, is not served",
        .invalidHashBlockSize: "the block size is out of its range",
        .invalidHashDerivedKeyLength: "the length of the hash is out of its range",
        .invalidHashKey: "the signer key is missing or malformed",
        .invalidHashMemoryCost: "the memory cost is out of its range",
        .invalidHashParallelization: "the parallelization is out of its range, or the hash would take too long",
        .invalidHashRounds: "the number of rounds is out of its range",
        .invalidHashSaltSeparator: "the salt separator is malformed",
        .invalidOAuthClientID: "the client id is too long, or has spaces or other characters than ASCII",
        .invalidOAuthResponseType: "the response type is token, none, or both others at once",
        .invalidPhoneNumber: "the number is malformed; it is written like +15551234567",
        .invalidProjectID: "tenants are off: multiTenant.allowTenants is not set",
        .invalidProviderID: "the provider is unknown here",
        .invalidTenantID: "there is no such tenant",
        .missingConfig: "the configuration is empty",
        .missingConfigID: "the configuration has no id",
        .missingEmail: "the account needs an address",
        .missingHashAlgorithm: "the file has password hashes, and no option names their algorithm",
        .missingIssuer: "an OpenID provider needs an issuer",
        .missingOAuthClientID: "the provider needs a client id",
        .missingOAuthClientSecret: "the code flow needs a client secret",
        .missingSAMLRelyingPartyConfig: "a SAML provider needs spConfig",
        .operationNotAllowed: "this is off or not allowed here",
        .passwordDoesNotMeetRequirements: "the password breaks the policy",
        .phoneNumberExists: "another account has this number",
        .projectDisabled: "the tenant's accounts are switched off",
        .quotaExceeded: "the limit of the day is used up",
        .tenantNotFound: "there is no such tenant",
        .tooManyAttemptsTryLater: "a limit is reached, or the machine has too much to do; try again later",
        .unverifiedEmail: "second factors need a verified address",
        .userNotFound: "there is no such user",
        .weakPassword: "the password is too short",
    ]
}
