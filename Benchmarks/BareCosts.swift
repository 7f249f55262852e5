import CArgon2
import CryptoExtras
import Foundation
import TestKit
import Tokens

/// The cryptography of the requests without anything around it, by the code that the server uses.
struct BareCosts: Sendable {
    private let signer: RSATokenSigner
    private let key: VerificationKey
    private let token: CompactJWS

    // What the server signs of an ID token: header and payload.
    private static let signingInput = [UInt8](repeating: 7, count: 700)

    /// The provider's key cannot be used, or the hash library failed.
    struct Failed: Error {}

    /// Takes a token of the provider, as the sign-ins bring it.
    init(_ provider: FakeIDP, assertion: String) async throws {
        signer = try RSATokenSigner(privateKey: _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8DERRepresentation)
        guard let key = await VerificationKey.keys(jwk: provider.key().jwk).first else { throw Failed() }
        self.key = key
        token = try CompactJWS(assertion)
    }

    /// Milliseconds of an RSA-2048 signature by the server's signer.
    func signature(seconds: Int) async throws -> Double {
        try await ProcessorTime.bare(seconds: seconds) { [signer] in _ = try signer.sign(Self.signingInput) }
    }

    /// Milliseconds of an RS256 verification by the server's verifier.
    func verification(seconds: Int) async throws -> Double {
        try await ProcessorTime.bare(seconds: seconds) { [key, token] in
            guard key.verifies(token) else { throw Failed() }
        }
    }

    /// Milliseconds of Argon2id with the defaults of `passwords.*`.
    static func argon2id(seconds: Int) async throws -> Double {
        let password = Array("correct horse battery staple".utf8)
        let salt = [UInt8](repeating: 7, count: 16)
        return try await ProcessorTime.bare(seconds: seconds) {
            var hash = [UInt8](repeating: 0, count: 32)
            let code = argon2id_hash_raw(2, 19_456, 1, password, password.count, salt, salt.count, &hash, hash.count)
            guard code == ARGON2_OK.rawValue else { throw Failed() }
        }
    }
}
