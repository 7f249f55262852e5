import Foundation
package import Project
import Settings
import Storage
import Tokens

/// Tokens that replace reCAPTCHA on the page that iOS apps open, when reCAPTCHA is not configured
/// (`Docs/Contract/web-handler.md` §6.4). They prove only that a button was pressed; limits keep their number low.
package struct AppVerificationTokens: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let messageThrottle: SMSThrottle
    let isEnabled: Bool

    private static let prefix = "postern."
    private static let lifetime = Duration.seconds(600)

    /// Makes a token, to be sent as `recaptchaToken` within ten minutes.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `OPERATION_NOT_ALLOWED` when reCAPTCHA is configured.
    package func issue(context: CallContext) async throws -> String {
        guard isEnabled else { throw APIError(.operationNotAllowed) }
        let (now, throttle) = (environment.now(), messageThrottle)
        try await database.write { try throttle.count(proofFor: context, at: now, in: $0) }
        return Self.prefix
            + (try sealer.seal(
                Data(environment.random(16)),
                for: .appVerification,
                scope: context.scope,
                expiresAt: now.advanced(by: Self.lifetime)
            ))
    }

    /// Whether a text has the form of such a token.
    static func isOne(_ token: String) -> Bool { token.hasPrefix(prefix) }

    /// Uses a token up.
    ///
    /// - Throws: `APIError` `INVALID_APP_CREDENTIAL`.
    package func redeem(_ token: String, context: CallContext) async throws {
        let (now, scope) = (environment.now(), context.scope)
        guard isEnabled, Self.isOne(token),
            let id = try? sealer.open(String(token.dropFirst(Self.prefix.count)), for: .appVerification, scope: scope)
        else { throw APIError(.invalidAppCredential) }
        let isFirst = try await database.write {
            try $0.useCredential(scope, hash: sha256(id), expiresAt: now.advanced(by: Self.lifetime))
        }
        guard isFirst else { throw APIError(.invalidAppCredential) }
    }
}
