/// Every business error of the wire contract that Postern raises, in alphabetical order (`contract/errors.md`).
///
/// SDKs compare the raw values letter by letter.
package enum ErrorCode: String, Sendable, Hashable {
    case adminOnlyOperation = "ADMIN_ONLY_OPERATION"
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    /// JS: requires-recent-login; iOS: requiresRecentLogin.
    case credentialTooOldLoginAgain = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    case emailExists = "EMAIL_EXISTS"
    case federatedUserIDAlreadyLinked = "FEDERATED_USER_ID_ALREADY_LINKED"
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    case insufficientPermission = "INSUFFICIENT_PERMISSION"
    case invalidClaims = "INVALID_CLAIMS"
    case invalidCredentialOrProviderID = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    case invalidGrantType = "INVALID_GRANT_TYPE"
    case invalidIDToken = "INVALID_ID_TOKEN"
    case invalidIdPResponse = "INVALID_IDP_RESPONSE"
    case invalidPendingToken = "INVALID_PENDING_TOKEN"
    case invalidProviderID = "INVALID_PROVIDER_ID"
    case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
    case invalidReqType = "INVALID_REQ_TYPE"
    case invalidRequestURI = "INVALID_REQUEST_URI"
    case invalidTenantID = "INVALID_TENANT_ID"
    case missingEmail = "MISSING_EMAIL"
    case missingGrantType = "MISSING_GRANT_TYPE"
    case missingIDToken = "MISSING_ID_TOKEN"
    case missingLocalID = "MISSING_LOCAL_ID"
    case missingOrInvalidNonce = "MISSING_OR_INVALID_NONCE"
    case missingPassword = "MISSING_PASSWORD"
    case missingRefreshToken = "MISSING_REFRESH_TOKEN"
    case missingRequestURI = "MISSING_REQUEST_URI"
    case operationNotAllowed = "OPERATION_NOT_ALLOWED"
    case projectDisabled = "PROJECT_DISABLED"
    case projectNotFound = "PROJECT_NOT_FOUND"
    case projectNumberMismatch = "PROJECT_NUMBER_MISMATCH"
    case tenantIDMismatch = "TENANT_ID_MISMATCH"
    case tenantNotFound = "TENANT_NOT_FOUND"
    /// Signs the user out of both SDKs: only for the session of the caller.
    case tokenExpired = "TOKEN_EXPIRED"
    case unexpectedParameter = "UNEXPECTED_PARAMETER"
    case userDisabled = "USER_DISABLED"
    /// Signs the user out of both SDKs: only for the session of the caller.
    case userNotFound = "USER_NOT_FOUND"
}
