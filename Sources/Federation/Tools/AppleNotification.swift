package import Project
import Tokens

/// A notification from Apple's server about a user of ours (`Docs/Contract/rulings.md` 15).
package struct AppleNotification: Sendable, Hashable {
    /// The event. Apple has spelled the last one in two ways.
    package enum Event: String, Sendable {
        /// The user switched the private relay off. Mail to its address is no longer delivered.
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
        /// The user stopped using Sign in with Apple for the app.
        case consentRevoked = "consent-revoked"
        /// The user deleted the Apple account.
        case accountDeleted = "account-delete"
    }

    /// `jti`, which identifies a repeated notification.
    package let identifier: String
    /// `nil` for an unknown kind of event.
    package let event: Event?
    /// Apple's id of the user.
    package let subject: String
    /// The time of the event; `nil` when the notification has none.
    package let occurredAt: Timestamp?
    /// The client ids that it is for.
    package let audiences: [String]
    /// The time from which the notification is refused as too old.
    package let expiresAt: Timestamp
}

/// Verifies Apple's notifications: signed by Apple's keys and recent.
package struct AppleNotificationVerifier: Sendable {
    private let keySets: KeySetCache
    private let environment: ServerEnvironment
    private let issuers: [String]
    private let keysURL: String

    // Apple's tokens state a life of one day. A token without an expiry is accepted for an hour.
    private static let maximumAge: Int64 = 86_400
    private static let ageWithoutExpiry: Int64 = 3600
    private static let maximumIdentifierLength = 255

    package init(keySets: KeySetCache, environment: ServerEnvironment, apple: AppleProvider) {
        self.keySets = keySets
        self.environment = environment
        issuers = apple.issuers
        keysURL = apple.keysURL
    }

    /// Verifies a notification.
    ///
    /// - Returns: The notification. The caller checks whether the audience is ours.
    package func verify(_ payload: String) async throws -> AppleNotification {
        guard let token = try? CompactJWS(payload), VerificationKey.Algorithm(name: token.algorithm) != nil else {
            throw ProviderError(.signature, "The notification is malformed.")
        }
        let claims = token.payload
        guard let issuer = claims["iss"]?.string, issuers.containsBytes(of: issuer) else {
            throw ProviderError(.claims, "The notification was issued by somebody else (iss).")
        }
        guard try await keySets.keySet(of: .pinned(url: keysURL), wanting: token.keyID).verifies(token) else {
            throw ProviderError(.signature, "The notification's signature is invalid or of an unknown key.")
        }
        let expiresAt = try expiry(of: claims)
        // The events are JSON inside a JSON text.
        guard let identifier = claims["jti"]?.string, (1...Self.maximumIdentifierLength).contains(identifier.utf8.count),
            let events = claims["events"]?.string.flatMap({ try? JSONValue.parse($0.utf8) }) ?? claims["events"],
            let type = events["type"]?.string, let subject = events["sub"]?.string, !subject.isEmpty
        else { throw ProviderError(.claims, "The notification says nothing that is understood.") }
        return AppleNotification(
            identifier: identifier,
            event: type == "account-deleted" ? .accountDeleted : AppleNotification.Event(rawValue: type),
            subject: subject,
            occurredAt: events["event_time"]?.double.flatMap(Self.time),
            audiences: claims["aud"]?.string.map { [$0] } ?? (claims["aud"]?.array ?? []).compactMap(\.string),
            expiresAt: expiresAt
        )
    }

    // Apple sends milliseconds; its older documentation shows seconds. A time in seconds is taken as the end of that second.
    private static func time(_ number: Double) -> Timestamp? {
        guard number > 0, number < 1e15 else { return nil }
        return number < 1e11 ? Timestamp(milliseconds: Int64(number) * 1000 + 999) : Timestamp(milliseconds: Int64(number))
    }

    private func expiry(of claims: JSONValue) throws -> Timestamp {
        let now = environment.now().seconds
        let skew = TokenIssuer.clockSkewSeconds
        guard let issuedAt = claims["iat"]?.numericDate, issuedAt <= now + skew, issuedAt > 0 else {
            throw ProviderError(.claims, "The notification is not valid yet (iat).")
        }
        var last = issuedAt + Self.ageWithoutExpiry
        if let end = claims["exp"] {
            guard let expiry = end.numericDate else {
                throw ProviderError(.claims, "The notification's end is unclear (exp).")
            }
            last = min(expiry, issuedAt + Self.maximumAge)
        }
        guard now < last + skew else { throw ProviderError(.claims, "The notification is too old.") }
        return Timestamp(seconds: last + skew)
    }
}
