/// The authenticator data of a ceremony (WebAuthn §6.1).
struct AuthenticatorData: Sendable {
    let relyingPartyIDHash: [UInt8]
    let isUserPresent: Bool
    let isUserVerified: Bool
    let signCount: Int64
    /// The new credential; only in a registration.
    let credential: Credential?

    /// A new credential (WebAuthn §6.5.1).
    struct Credential: Sendable {
        let id: [UInt8]
        /// The public key as a COSE_Key.
        let publicKey: [UInt8]
    }

    private enum Flag {
        static let userPresent: UInt8 = 0x01
        static let userVerified: UInt8 = 0x04
        static let backupEligible: UInt8 = 0x08
        static let backedUp: UInt8 = 0x10
        static let hasCredential: UInt8 = 0x40
        static let hasExtensions: UInt8 = 0x80
    }

    private static let headerLength = 37
    private static let identifierLength = 16
    /// The longest credential id in bytes (WebAuthn §4).
    static let maximumCredentialIDLength = 1023

    /// Reads the data. Trailing bytes are refused.
    init(_ bytes: [UInt8]) throws {
        guard bytes.count >= Self.headerLength else { throw CBOR.Malformed() }
        relyingPartyIDHash = Array(bytes[..<32])
        let flags = bytes[32]
        isUserPresent = flags & Flag.userPresent != 0
        isUserVerified = flags & Flag.userVerified != 0
        // §7.1 step 17, §7.2 step 18: a credential that is backed up must be eligible for backup.
        guard flags & Flag.backedUp == 0 || flags & Flag.backupEligible != 0 else { throw CBOR.Malformed() }
        signCount = bytes[33..<37].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        var rest = bytes[Self.headerLength...]
        credential = flags & Flag.hasCredential == 0 ? nil : try Self.credential(&rest)
        if flags & Flag.hasExtensions != 0 {
            var reader = CBORReader(rest)
            guard try reader.item().memberCount != nil else { throw CBOR.Malformed() }
            rest = reader.rest
        }
        guard rest.isEmpty else { throw CBOR.Malformed() }
    }

    private static func credential(_ rest: inout ArraySlice<UInt8>) throws -> Credential {
        let body = rest.dropFirst(identifierLength)
        guard body.count >= 2 else { throw CBOR.Malformed() }
        let length = body.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let afterLength = body.dropFirst(2)
        guard (1...maximumCredentialIDLength).contains(length), afterLength.count > length else { throw CBOR.Malformed() }
        let keyBytes = afterLength.dropFirst(length)
        var reader = CBORReader(keyBytes)
        _ = try reader.item()
        rest = reader.rest
        return Credential(
            id: Array(afterLength.prefix(length)),
            publicKey: Array(keyBytes.prefix(keyBytes.count - reader.rest.count))
        )
    }
}
