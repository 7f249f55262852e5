import Federation
import Project
import Storage

// The claims about an account and its sign-in that functions receive (`Docs/Contract/admin-config.md` §10.3 and §10.4).
extension SignInProof {
    /// Makes the claims of `beforeCreate` and `beforeSignIn`.
    ///
    /// - Parameter functions: Decides which of a provider's tokens are included.
    /// - Returns: The claims, without the password and its hash.
    func claims(of view: AccountView, for functions: BlockingFunctions) -> JSONObject {
        var claims: JSONObject = [
            "sub": .string(view.account.localID), "sign_in_method": .string(signInMethod), "user_record": view.userRecord,
        ]
        switch method {
        case .identityProvider(let identity):
            claims["sign_in_attributes"] = identity.signInAttributes
            claims["raw_user_info"] = .string(identity.rawUserInfo.text)
            if functions.forwardsAccessToken, let token = identity.accessToken {
                claims["oauth_access_token"] = .string(token)
                claims["oauth_token_secret"] = identity.tokenSecret.map(JSONValue.string)
                claims["oauth_expires_in"] = identity.accessTokenSeconds.map(JSONValue.integer)
            }
            if functions.forwardsIDToken { claims["oauth_id_token"] = identity.idToken.map(JSONValue.string) }
            if functions.forwardsRefreshToken { claims["oauth_refresh_token"] = identity.refreshToken.map(JSONValue.string) }
        case .secondFactor(let shown):
            let factor = view.account.secondFactors.first { $0.enrollmentID == shown.enrollmentID }
            claims["sign_in_second_factor"] = (factor?.kindName).map(JSONValue.string)
            claims["sign_in_attributes"] = signInAttributes
        default: break
        }
        return claims
    }

    private var signInMethod: String { if case .emailLink = method { "emailLink" } else { signInProvider } }
}

extension AccountView {
    fileprivate var userRecord: JSONValue {
        var record: JSONObject = [
            "uid": .string(account.localID), "email_verified": .bool(account.emailVerified ?? false),
            "disabled": .bool(account.isDisabled), "provider_data": .array(providerData), "metadata": metadata,
        ]
        record["email"] = account.email.map(JSONValue.string)
        record["display_name"] = account.displayName.map(JSONValue.string)
        record["photo_url"] = account.photoURL.map(JSONValue.string)
        record["phone_number"] = account.phoneNumber.map(JSONValue.string)
        record["custom_claims"] = account.customAttributes.flatMap { try? JSONValue.parse($0.utf8) } ?? [:]
        record["tenant_id"] = scope.tenantID.map(JSONValue.string)
        record["tokens_valid_after_time"] = account.validSince.map(JSONValue.integer)
        if !account.secondFactors.isEmpty {
            record["multi_factor"] = ["enrolled_factors": .array(account.secondFactors.map(\.claim))]
        }
        return .object(record)
    }

    private var metadata: JSONValue {
        var times: JSONValue = ["creation_time": .integer(account.createdAt.milliseconds)]
        if let time = account.lastLoginAt { times["last_sign_in_time"] = .integer(time.milliseconds) }
        return times
    }

    // The linked identities, then `password` and `phone` for fields of the account (`Docs/Contract/client-accounts.md` §0.3).
    private var providerData: [JSONValue] {
        var entries = identities.map { identity in
            entry(identity.providerID, identity.rawID, identity.email, identity.displayName, identity.photoURL)
        }
        if let email = account.email, account.passwordHash != nil || account.hasEmailLinkSignIn {
            entries.append(entry("password", email, email, account.displayName, account.photoURL))
        }
        if let number = account.phoneNumber {
            entries.append(["provider_id": "phone", "uid": .string(number), "phone_number": .string(number)])
        }
        return entries
    }

    private func entry(
        _ providerID: String,
        _ rawID: String,
        _ email: String?,
        _ displayName: String?,
        _ photoURL: String?
    ) -> JSONValue {
        var entry: JSONObject = ["provider_id": .string(providerID), "uid": .string(rawID)]
        entry["email"] = email.map(JSONValue.string)
        entry["display_name"] = displayName.map(JSONValue.string)
        entry["photo_url"] = photoURL.map(JSONValue.string)
        return .object(entry)
    }
}

extension SecondFactor {
    fileprivate var claim: JSONValue {
        var claim: JSONObject = [
            "uid": .string(enrollmentID), "enrollment_time": .string(enrolledAt.rfc3339), "factor_id": .string(kindName),
        ]
        claim["display_name"] = displayName.map(JSONValue.string)
        claim["phone_number"] = phoneNumber.map(JSONValue.string)
        return .object(claim)
    }
}
