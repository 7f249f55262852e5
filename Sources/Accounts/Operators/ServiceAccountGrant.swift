import Project
import Storage
import Tokens

/// Exchanges the assertions of service accounts for access tokens (RFC 7523 §2.1).
package struct ServiceAccountGrant: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let throttle: Throttle
    let serviceAccounts: ServiceAccountDirectory
    let projectID: String
    let accessTokens: ServiceAccountAccessTokens

    /// A refusal in the form of RFC 6749 §5.2.
    package struct GrantError: Error, Sendable, Hashable {
        /// `error`
        package let code: String
        /// `error_description`
        package let reason: String

        /// - Parameter code: An error code of RFC 6749 §5.2.
        package init(_ code: String, _ reason: String) {
            self.code = code
            self.reason = reason
        }

        static func grant(_ reason: String) -> GrantError { GrantError("invalid_grant", reason) }
    }

    // Google's libraries send no `jti`, and RS256 is deterministic: processes that start within one second send the same
    // assertion.
    private static let twinTime = Duration.seconds(10)

    /// Exchanges an assertion.
    ///
    /// - Parameter tokenURL: The endpoint's own URL, which the assertion must name as its audience.
    /// - Throws: ``GrantError``; `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` for a network that was refused too often.
    package func exchange(_ text: String, tokenURL: String, address: String?) async throws -> String {
        try await throttle.assertion(from: address, projectID: projectID) {
            try await judge(text, tokenURL: tokenURL, address: address)
        }
    }

    private func judge(_ text: String, tokenURL: String, address: String?) async throws -> String {
        do {
            let assertion = try ServiceAccountAssertion(text)
            let account = try assertion.account()
            guard case .registered(let key, let keyID, _) = try await serviceAccounts.find(account, projectID: projectID) else {
                throw GrantError.grant("There is no such service account in this project.")
            }
            do {
                try assertion.verify(with: key, audience: tokenURL, at: environment.now().seconds)
            } catch let refused as ServiceAccountAssertion.InvalidAssertion {
                // Only existing accounts are recorded, so that invented ones do not fill the audit trail.
                try await record(.serviceAccountRefused, account, address, ["reason": .string(refused.reason)])
                throw refused
            }
            if assertion.wantsIDToken {
                throw GrantError("invalid_request", "ID tokens (target_audience) are not issued to service accounts.")
            }
            try await useOnce(assertion)
            let token = try accessTokens.seal(.init(email: account, keyID: keyID), projectID: projectID)
            try await record(.serviceAccountToken, account, address, ["keyId": .string(keyID)])
            return token
        } catch let refused as ServiceAccountAssertion.InvalidAssertion {
            throw GrantError.grant(refused.reason)
        }
    }

    private func useOnce(_ assertion: ServiceAccountAssertion) async throws {
        let now = environment.now()
        let scope = Scope(projectID: projectID)
        let identity = assertion.identity
        try await database.write { transaction in
            let end = now.advanced(by: ServiceAccountAssertion.longestUse)
            if try transaction.useCredential(scope, hash: identity.hash, expiresAt: end) { return }
            let firstEnd = try transaction.usedCredentialExpiry(scope, hash: identity.hash)
            guard !identity.isNamed, let firstEnd, end <= firstEnd.advanced(by: Self.twinTime + ClockSkew.betweenNodes)
            else {
                throw GrantError.grant("The assertion has been used before.")
            }
        }
    }

    private func record(_ kind: AuditEvent.Kind, _ account: String, _ address: String?, _ detail: JSONValue) async throws {
        let context = CallContext(
            scope: Scope(projectID: projectID),
            actor: "service-account:\(account)",
            address: address
        )
        let event = context.auditEvent(kind, detail, by: environment)
        try await database.write { try $0.insertAuditEvent(context.scope, event) }
    }
}
