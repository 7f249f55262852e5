package import Project
package import Storage
import Tokens

/// Gives service accounts access tokens for their assertions (RFC 7523 §2.1).
package struct ServiceAccountGrant: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let serviceAccounts: ServiceAccountDirectory
    private let accessTokens: ServiceAccountAccessTokens
    private let throttle: Throttle
    private let projectID: String

    /// - Parameters:
    ///   - database: Where used assertions are remembered.
    ///   - environment: Clock and randomness.
    ///   - serviceAccounts: Whose assertions count.
    ///   - accessTokens: Makes what is given.
    ///   - throttle: Bounds what may be refused.
    ///   - projectID: The project whose accounts these are.
    package init(
        database: any Database,
        environment: ServerEnvironment,
        serviceAccounts: ServiceAccountDirectory,
        accessTokens: ServiceAccountAccessTokens,
        throttle: Throttle,
        projectID: String
    ) {
        self.database = database
        self.environment = environment
        self.serviceAccounts = serviceAccounts
        self.accessTokens = accessTokens
        self.throttle = throttle
        self.projectID = projectID
    }

    /// A refusal in the words of RFC 6749 §5.2.
    package struct Refused: Error, Sendable, Hashable {
        /// `error`
        package let code: String
        /// `error_description`
        package let reason: String

        /// - Parameters:
        ///   - code: One of RFC 6749 §5.2.
        ///   - reason: For people.
        package init(_ code: String, _ reason: String) {
            self.code = code
            self.reason = reason
        }

        static func grant(_ reason: String) -> Refused { Refused("invalid_grant", reason) }
    }

    // How long a used assertion is remembered: as long as it could be believed.
    private static let memory = Duration.seconds(3600 + 2 * 60)
    // Google's libraries name no `jti`, and RS256 is deterministic: processes that start in one second send one assertion.
    private static let twinTime = Duration.seconds(10)

    /// Exchanges an assertion.
    ///
    /// - Parameters:
    ///   - text: The assertion.
    ///   - tokenURL: The endpoint's own URL, which it must be meant for.
    ///   - address: The client's, for the audit trail.
    /// - Returns: The access token.
    /// - Throws: ``Refused``; `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` for a network that was refused too often; `StorageError`.
    package func exchange(_ text: String, tokenURL: String, address: String?) async throws -> String {
        try await throttle.assertion(from: address, projectID: projectID) {
            try await judge(text, tokenURL: tokenURL, address: address)
        }
    }

    private func judge(_ text: String, tokenURL: String, address: String?) async throws -> String {
        do {
            let assertion = try ServiceAccountAssertion(text)
            let account = try assertion.account()
            guard case .registered(let key, let keyID) = try await serviceAccounts.find(account, projectID: projectID) else {
                throw Refused.grant("There is no such service account in this project.")
            }
            do {
                try assertion.verify(with: key, audience: tokenURL, at: environment.now().seconds)
            } catch let refused as ServiceAccountAssertion.Refused {
                // Only of accounts that exist, so that made-up ones do not fill the trail.
                try await record("serviceAccountRefused", account, address, ["reason": .string(refused.reason)])
                throw refused
            }
            if assertion.wantsIDToken {
                throw Refused("invalid_request", "ID tokens (target_audience) are not issued to service accounts.")
            }
            try await useOnce(assertion)
            let token = try accessTokens.seal(.init(email: account, keyID: keyID), projectID: projectID)
            try await record("serviceAccountToken", account, address, ["keyId": .string(keyID)])
            return token
        } catch let refused as ServiceAccountAssertion.Refused {
            throw Refused.grant(refused.reason)
        }
    }

    private func useOnce(_ assertion: ServiceAccountAssertion) async throws {
        let now = environment.now()
        let scope = Scope(projectID: projectID)
        let identity = assertion.identity
        try await database.write { transaction in
            let end = now.advanced(by: Self.memory)
            if try transaction.useCredential(scope, hash: identity.hash, expiresAt: end) { return }
            let firstEnd = try transaction.usedCredentialExpiry(scope, hash: identity.hash)
            guard !identity.isNamed, let firstEnd, end <= firstEnd.advanced(by: Self.twinTime + ClockSkew.betweenNodes)
            else {
                throw Refused.grant("The assertion has been used before.")
            }
        }
    }

    private func record(_ name: String, _ account: String, _ address: String?, _ detail: JSONValue) async throws {
        let event = AuditEvent(
            eventID: environment.newEventID(),
            occurredAt: environment.now(),
            event: name,
            localID: nil,
            actor: "service-account:\(account)",
            address: address,
            detail: detail
        )
        let scope = Scope(projectID: projectID)
        try await database.write { try $0.insertAuditEvent(scope, event) }
    }
}
