import Logging
package import Project
import Storage
import Tenancy
import Tokens

/// Lets an operator sign in as a user, to see what the user sees. Off unless `console.impersonation` says so.
///
/// The result is a custom token, with the operator in the claim `act` (RFC 8693 §4.1). ID tokens of the session have the claim too, so that
/// apps and servers can tell it from the user's own. What such a session may not do, ``ActorClaim`` says.
package struct Impersonation: UsesRuntime {
    let runtime: Runtime
    let serviceAccounts: ServiceAccountDirectory
    let signing: ServiceAccountSigning
    let isAllowed: Bool
    let forbiddenClaim: String

    /// The longest reason in bytes.
    package static let maximumReason = 500
    private static let lifetimeSeconds: Int64 = 300

    /// Why nobody may sign in as a user.
    package enum ImpersonationError: Error, Sendable, Hashable {
        case switchedOff
        case noReason
        /// The user has the forbidden claim, or an operator's address.
        case protectedUser
        /// No service account's key is held by this server, so no token can be signed.
        case noServiceAccount
    }

    /// Makes a custom token for a user.
    ///
    /// - Returns: It is good for five minutes.
    /// - Throws: ``ImpersonationError``; `APIError` `USER_NOT_FOUND`, `USER_DISABLED`.
    package func impersonate(
        _ localID: String,
        reason: String,
        context: CallContext
    ) async throws -> (text: String, expiresAt: Timestamp) {
        guard isAllowed else { throw ImpersonationError.switchedOff }
        let reason = reason.cut(toBytes: Self.maximumReason)
        guard reason.contains(where: { !$0.isWhitespace }) else { throw ImpersonationError.noReason }
        let scope = context.scope
        try await configurations.requireServed(scope)
        let (account, isOperators) = try await database.read { transaction in
            let account = try transaction.account(scope, localID: localID)
            // Operators' addresses are in lower case.
            let email = account?.email?.lowercased()
            return (account, try email.flatMap { try transaction.consoleOperator(scope.projectID, email: $0) } != nil)
        }
        guard let account else { throw APIError(.userNotFound) }
        guard !account.isDisabled else { throw APIError(.userDisabled) }
        guard !isOperators, !account.isProtected(by: forbiddenClaim) else { throw ImpersonationError.protectedUser }
        let now = environment.now()
        let signer = try await serviceAccounts.firstWithHeldKey(projectID: scope.projectID)
        // Where custom tokens are believed unverified, none needs a signature.
        guard signer != nil || !mode.verifiesCustomTokens else { throw ImpersonationError.noServiceAccount }
        // It is recorded first: no token without its record.
        try await record(account.localID, reason, context, at: now)
        let payload = payload(for: account.localID, by: signer ?? "impersonation", context, at: now)
        let text = try await token(payload, signer, context)
        return (text, now.advanced(by: .seconds(Self.lifetimeSeconds)))
    }

    private func payload(
        for localID: String,
        by signer: String,
        _ context: CallContext,
        at now: Timestamp
    ) -> JSONValue {
        var payload: JSONValue = [
            "iss": .string(signer), "sub": .string(signer), "aud": .string(CustomToken.audience), "iat": .integer(now.seconds),
            "exp": .integer(now.seconds + Self.lifetimeSeconds), "uid": .string(localID),
            "claims": ActorClaim.claims(of: context.actor),
        ]
        payload["tenant_id"] = context.scope.tenantID.map(JSONValue.string)
        return payload
    }

    private func token(_ payload: JSONValue, _ signer: String?, _ context: CallContext) async throws -> String {
        let header: JSONValue = ["alg": signer == nil ? "none" : "RS256", "typ": "JWT"]
        let input = [header, payload].map { Base64URL.encode(Array($0.text.utf8)) }.joined(separator: ".")
        guard let signer else { return input + "." }
        let signature = try await signing.sign(Array(input.utf8), for: signer, context: context)
        return "\(input).\(Base64URL.encode(signature.bytes))"
    }

    private func record(_ localID: String, _ reason: String, _ context: CallContext, at now: Timestamp) async throws {
        let event = context.auditEvent(.impersonation, of: localID, ["reason": .string(reason)], by: environment, at: now)
        try await database.write { try $0.insertAuditEvent(context.scope, event) }
        logger.warning("an operator signs in as a user", metadata: ["localId": "\(localID)", "actor": "\(context.actor)"])
    }
}
