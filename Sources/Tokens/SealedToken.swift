import Crypto
package import Foundation
package import Project

/// Encrypts values that clients hold for Postern or that the store keeps: AES-256-GCM under the master key.
///
/// Purpose, scope and expiry are authenticated with the value: a value opens only for those that it was sealed for
/// (`Docs/Architecture.md#secrets-and-tokens`, threat cases JWT-09 and JWT-18).
package struct TokenSealer: Sendable {
    private let keys: [Purpose: SymmetricKey]
    private let environment: ServerEnvironment

    /// The purpose of a sealed value.
    package enum Purpose: String, Sendable, CaseIterable {
        /// A verified identity that a client may present again (`pendingToken`).
        case pendingCredential
        /// The state of a sign-in flow that waits for its identity provider, and the provider's answer.
        case authorizationFlow
        /// A first factor that waits for the second (`mfaPendingCredential`).
        case mfaPendingCredential
        /// A TOTP secret on its way to the user's authenticator (`sessionInfo` of an enrolment).
        case totpEnrollment
        /// A TOTP secret in the store.
        case totpSecret
        /// The challenge of a passkey's registration.
        case passkeyEnrollment
        /// The challenge of a sign-in with a passkey.
        case passkeySignIn
        /// A one-time code that development shows to tests.
        case oobCode
        /// A message in the outbox.
        case outboxMessage
        /// A code sent by SMS. The key is for its hash; nothing is sealed with it.
        case smsCode
        /// Names a code sent by SMS (`sessionInfo`).
        case smsSession
        /// A code sent by SMS that development shows to tests.
        case shownSMSCode
        /// A phone number that was proven (`temporaryProof`).
        case temporaryProof
        /// Replaces a reCAPTCHA token on servers without reCAPTCHA.
        case appVerification
        /// The private part of a signing key.
        case signingKey
        /// A secret inside a configuration document.
        case configurationSecret
        /// The position in a list where the next page begins.
        case pageToken
        /// An access token of a service account.
        case serviceAccountAccess
        /// The private key of a service account that Postern signs for.
        case serviceAccountKey

        // Values that clients hold are short. A message may hold a project's own HTML page.
        fileprivate var maximumLength: Int { self == .outboxMessage ? 1 << 20 : 1 << 16 }
    }

    /// The value is forged, damaged, expired, or sealed for something else. The error does not tell which.
    package struct CannotOpen: Error {}

    package init(masterKey: MasterKey, environment: ServerEnvironment) {
        keys = Dictionary(uniqueKeysWithValues: Purpose.allCases.map { ($0, masterKey.derived(for: $0.rawValue)) })
        self.environment = environment
    }

    /// Seals bytes.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - purpose: The purpose that the value opens for.
    ///   - scope: The scope that the value opens in; `nil` for values of the whole server.
    ///   - expiresAt: The time until which the value opens; `nil` for no limit.
    /// - Returns: URL-safe text.
    /// - Throws: When encryption fails, which does not happen with valid keys.
    package func seal(
        _ plaintext: Data,
        for purpose: Purpose,
        scope: Scope? = nil,
        expiresAt: Timestamp? = nil
    ) throws -> String {
        let expiry = Self.encode(expiresAt)
        let box = try AES.GCM.seal(
            plaintext,
            using: key(purpose),
            nonce: AES.GCM.Nonce(data: environment.random(12)),
            authenticating: Self.binding(purpose, scope, expiry)
        )
        return Base64URL.encode(expiry + box.nonce + box.ciphertext + box.tag)
    }

    /// Opens a value that ``seal(_:for:scope:expiresAt:)`` made for the same purpose and scope.
    ///
    /// - Parameters:
    ///   - text: The sealed value.
    ///   - purpose: The purpose that it must have been sealed for.
    ///   - scope: The scope that it must have been sealed for.
    /// - Returns: The plaintext.
    /// - Throws: ``CannotOpen``.
    package func open(_ text: String, for purpose: Purpose, scope: Scope? = nil) throws -> Data {
        guard text.utf8.count <= purpose.maximumLength, let data = Base64URL.decode(text.utf8), data.count > 8 + 12 + 16 else {
            throw CannotOpen()
        }
        let expiry = Data(data.prefix(8))
        do {
            let box = try AES.GCM.SealedBox(combined: data.dropFirst(8))
            let plaintext = try AES.GCM.open(box, using: key(purpose), authenticating: Self.binding(purpose, scope, expiry))
            let deadline = expiry.reduce(Int64(0)) { $0 << 8 | Int64($1) }
            guard deadline == 0 || environment.now().milliseconds < deadline else { throw CannotOpen() }
            return plaintext
        } catch {
            throw CannotOpen()
        }
    }

    /// A keyed hash, for secrets so short that a plain hash could be reversed by trying all of them.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to hash.
    ///   - purpose: The key to use. Nothing may be sealed with it.
    /// - Returns: HMAC-SHA256, 32 bytes.
    /// - Throws: ``CannotOpen``, which does not happen.
    package func authenticationCode(of bytes: some Sequence<UInt8>, for purpose: Purpose) throws -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(bytes), using: try key(purpose)))
    }

    private func key(_ purpose: Purpose) throws -> SymmetricKey {
        guard let key = keys[purpose] else { throw CannotOpen() }
        return key
    }

    private static func encode(_ time: Timestamp?) -> Data {
        let value = UInt64(bitPattern: time?.milliseconds ?? 0)
        return Data((0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) })
    }

    // Each part is preceded by its length, so that no two bindings have the same bytes.
    private static func binding(_ purpose: Purpose, _ scope: Scope?, _ expiry: Data) -> Data {
        var text = Data()
        for part in [purpose.rawValue, scope?.projectID ?? "", scope?.tenantKey ?? ""] {
            text.append(contentsOf: "\(part.utf8.count):\(part);".utf8)
        }
        return text + expiry
    }
}
