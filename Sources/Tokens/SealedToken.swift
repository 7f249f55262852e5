import Crypto
package import Foundation
package import Project

/// Encrypts values that clients hold for Postern or that the store keeps: AES-256-GCM under the master key. While the master key is
/// replaced, values under the previous one open, too.
///
/// Purpose, scope and expiry are authenticated with the value: a value opens only for those that it was sealed for
/// (`Docs/Architecture.md#secrets-and-tokens`, threat cases JWT-09 and JWT-18).
package final class TokenSealer: Sendable {
    private let keys: [Purpose: SymmetricKey]
    /// The keys of the previous master key, which open and do not seal; empty when there is none.
    private let previousKeys: [Purpose: SymmetricKey]
    private let environment: ServerEnvironment

    package enum Purpose: String, Sendable, CaseIterable {
        /// A verified identity that a client may present again (`pendingToken`).
        case pendingCredential
        /// The state of a sign-in flow that waits for its identity provider, and the provider's answer.
        case authorizationFlow
        /// What a provider's answer proved, for a client that could not be told.
        case flowProof
        /// A first factor that waits for the second (`mfaPendingCredential`).
        case mfaPendingCredential
        /// A TOTP secret on its way to the user's authenticator (`sessionInfo` of an enrolment).
        case totpEnrollment
        /// A TOTP secret in the store.
        case totpSecret
        /// An operator's TOTP secret in the store.
        case operatorTOTP
        /// The challenge of an operator's passkey ceremony.
        case operatorCeremony
        /// A TOTP secret on its way to an operator's authenticator.
        case operatorEnrollment
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
        /// A digest in the audit trail of what the trail must not hold. Nothing is sealed with the key.
        case auditDigest
        /// What an import gave an account. The key is for keyed digests; nothing is sealed with it.
        case importDigest
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

        // Values that clients hold are short.
        fileprivate var maximumLength: Int {
            switch self {
            // A message may hold a project's own HTML page.
            case .outboxMessage: 1 << 20
            // A provider's answer has up to 128 kB.
            case .authorizationFlow, .flowProof: 1 << 18
            default: 1 << 16
            }
        }
    }

    /// The value is too long to be opened again.
    package struct TooLong: Error {}

    /// The value is forged, damaged, expired, or sealed for something else. The error does not tell which.
    package struct CannotOpen: Error {
        package init() {}
    }

    // Expiry, nonce and tag of a sealed value, in bytes.
    private static let overhead = 8 + 12 + 16

    /// Whether as many bytes can be sealed, and opened again.
    package static func takes(_ count: Int, for purpose: Purpose) -> Bool {
        ((count + overhead) * 4 + 2) / 3 <= purpose.maximumLength
    }

    /// Derives the keys.
    ///
    /// - Parameter previous: A key whose values still open, while the master key is replaced.
    package init(masterKey: MasterKey, previous: MasterKey? = nil, environment: ServerEnvironment) {
        keys = Self.keys(of: masterKey)
        previousKeys = previous.map(Self.keys) ?? [:]
        self.environment = environment
    }

    private static func keys(of masterKey: MasterKey) -> [Purpose: SymmetricKey] {
        Dictionary(uniqueKeysWithValues: Purpose.allCases.map { ($0, masterKey.derived(for: $0.rawValue)) })
    }

    /// Seals bytes.
    ///
    /// - Parameter scope: The scope that the value opens in; `nil` for values of the whole server.
    /// - Returns: URL-safe text.
    package func seal(
        _ plaintext: Data,
        for purpose: Purpose,
        scope: Scope? = nil,
        expiresAt: Timestamp? = nil
    ) throws -> String {
        try seal(plaintext, for: purpose, scope: scope, expiry: Self.encode(expiresAt))
    }

    private func seal(_ plaintext: Data, for purpose: Purpose, scope: Scope?, expiry: Data) throws -> String {
        guard Self.takes(plaintext.count, for: purpose) else { throw TooLong() }
        let box = try AES.GCM.seal(
            plaintext,
            using: try Self.key(purpose, keys),
            nonce: AES.GCM.Nonce(data: environment.random(12)),
            authenticating: Self.binding(purpose, scope, expiry)
        )
        return Base64URL.encode(expiry + box.nonce + box.ciphertext + box.tag)
    }

    /// Opens a value that ``seal(_:for:scope:expiresAt:)`` made for the same purpose and scope.
    ///
    /// - Throws: ``CannotOpen``.
    package func open(_ text: String, for purpose: Purpose, scope: Scope? = nil) throws -> Data {
        let sealed = try Sealed(text, for: purpose)
        guard let plaintext = open(sealed, keys, purpose, scope) ?? open(sealed, previousKeys, purpose, scope) else {
            throw CannotOpen()
        }
        guard sealed.deadline == 0 || environment.now().milliseconds < sealed.deadline else { throw CannotOpen() }
        return plaintext
    }

    /// What ``rewrapped(_:for:scope:)`` made of a value.
    package enum Rewrapped: Sendable, Hashable {
        /// It is sealed under the master key.
        case current
        /// It was sealed under the previous key; this is the same value under the master key.
        case renewed(String)
        /// It opens under neither key.
        case unreadable
    }

    /// Seals a stored value anew that is sealed under the previous key. An expiry stays, also one that has passed.
    package func rewrapped(_ text: String, for purpose: Purpose, scope: Scope? = nil) throws -> Rewrapped {
        guard let sealed = try? Sealed(text, for: purpose) else { return .unreadable }
        if open(sealed, keys, purpose, scope) != nil { return .current }
        guard let plaintext = open(sealed, previousKeys, purpose, scope) else { return .unreadable }
        return .renewed(try seal(plaintext, for: purpose, scope: scope, expiry: sealed.expiry))
    }

    /// Whether there is a previous key.
    package var hasPreviousKey: Bool { !previousKeys.isEmpty }

    /// The parts of a sealed value.
    private struct Sealed {
        let expiry: Data
        let box: AES.GCM.SealedBox

        init(_ text: String, for purpose: Purpose) throws {
            guard text.utf8.count <= purpose.maximumLength, let data = Base64URL.decode(text.utf8),
                data.count > TokenSealer.overhead,
                let box = try? AES.GCM.SealedBox(combined: data.dropFirst(8))
            else { throw CannotOpen() }
            expiry = Data(data.prefix(8))
            self.box = box
        }

        /// Milliseconds since 1970; 0 for no limit.
        var deadline: Int64 { expiry.reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    }

    // `nil` when these keys do not open the value.
    private func open(_ sealed: Sealed, _ keys: [Purpose: SymmetricKey], _ purpose: Purpose, _ scope: Scope?) -> Data? {
        guard let key = keys[purpose] else { return nil }
        return try? AES.GCM.open(sealed.box, using: key, authenticating: Self.binding(purpose, scope, sealed.expiry))
    }

    /// A keyed hash, for secrets so short that a plain hash could be reversed by trying all of them.
    ///
    /// - Parameter purpose: Nothing may be sealed with it.
    /// - Returns: HMAC-SHA256, 32 bytes.
    package func authenticationCode(of bytes: some Sequence<UInt8>, for purpose: Purpose) throws -> [UInt8] {
        Self.code(of: Data(bytes), try Self.key(purpose, keys))
    }

    /// The keyed hashes that a stored one may equal: under the master key and under the previous one.
    ///
    /// - Returns: One or two times 32 bytes.
    package func authenticationCodes(of bytes: some Sequence<UInt8>, for purpose: Purpose) throws -> [[UInt8]] {
        let data = Data(bytes)
        return [try Self.key(purpose, keys), previousKeys[purpose]].compactMap(\.self).map { Self.code(of: data, $0) }
    }

    private static func code(of data: Data, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }

    private static func key(_ purpose: Purpose, _ keys: [Purpose: SymmetricKey]) throws -> SymmetricKey {
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
