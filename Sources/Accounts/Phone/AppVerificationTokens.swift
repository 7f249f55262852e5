import Foundation
package import Project
package import Storage
package import Tokens

/// Tokens that stand in for reCAPTCHA on the page that iOS apps open, where reCAPTCHA is not configured
/// (`contract/web-handler.md` §6.4). They prove that somebody pressed a button, and are worth no more: limits keep them few.
package struct AppVerificationTokens: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let sealer: TokenSealer
    private let throttle: SMSThrottle
    private let isEnabled: Bool

    private static let prefix = "postern."
    private static let lifetime = Duration.seconds(600)

    /// - Parameters:
    ///   - database: Remembers which were used.
    ///   - environment: Clock and randomness.
    ///   - sealer: Signs them.
    ///   - throttle: How many a client network gets.
    ///   - isEnabled: `false` where reCAPTCHA is configured.
    package init(
        database: any Database,
        environment: ServerEnvironment,
        sealer: TokenSealer,
        throttle: SMSThrottle,
        isEnabled: Bool
    ) {
        self.database = database
        self.environment = environment
        self.sealer = sealer
        self.throttle = throttle
        self.isEnabled = isEnabled
    }

    /// Makes a token, to be sent as `recaptchaToken` within ten minutes.
    ///
    /// - Parameter context: The call.
    /// - Returns: The token.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`; `OPERATION_NOT_ALLOWED` where reCAPTCHA is configured; `StorageError`.
    package func issue(context: CallContext) async throws -> String {
        guard isEnabled else { throw APIError(.operationNotAllowed) }
        let (now, throttle) = (environment.now(), throttle)
        try await database.write { try throttle.count(proofFor: context, at: now, in: $0) }
        return Self.prefix
            + (try sealer.seal(
                Data(environment.random(16)),
                for: .appVerification,
                scope: context.scope,
                expiresAt: now.advanced(by: Self.lifetime)
            ))
    }

    /// Whether a text claims to be one of these.
    static func isOne(_ token: String) -> Bool { token.hasPrefix(prefix) }

    /// Uses a token up.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - context: The call.
    /// - Throws: `APIError` `INVALID_APP_CREDENTIAL`; `StorageError`.
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
