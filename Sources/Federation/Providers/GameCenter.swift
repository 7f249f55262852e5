import Crypto
import CryptoExtras
import Foundation
package import Project

/// The data that an iOS app gets from Game Center (`Docs/Contract/client-accounts.md` §6). Nothing of it is verified.
package struct GameCenterProof: Sendable {
    package var playerID: String?
    package var teamPlayerID: String?
    /// The player's id within one game, which games of Apple Arcade sign.
    package var gamePlayerID: String?
    package var publicKeyURL = ""
    /// Empty when it is missing or not base64. The rules of the proof refuse it in the contract's order.
    package var signature: [UInt8] = []
    /// As ``signature``.
    package var salt: [UInt8] = []
    /// The time of Game Center's signature, in milliseconds since the epoch.
    package var timestamp: Int64 = 0
    /// The bundle id of the calling app, unverified. The call has it, not the request's body.
    package var bundleID = ""
    /// The player's alias. It is unsigned and used for display only.
    package var displayName: String?

    package init() {}
}

/// Apple Game Center (`gc.apple.com`): signatures over a player, our bundle id, a time and a salt (Apple, GameKit,
/// `fetchItemsForIdentityVerificationSignature`).
package struct GameCenterProvider: IdentityProvider {
    private let certificates: GameCenterCertificates
    private let environment: ServerEnvironment

    package static let providerID = "gc.apple.com"
    package static let facts = ProviderFacts(
        id: providerID,
        label: "Game Center",
        endpoints: [keysHost],
        clientID: .never,
        allowsSecondFactor: false
    )

    private static let keysHost = ProviderEndpoint(
        "gameCenter",
        at: "https://static.gc.apple.com",
        "the host Game Center's public keys are fetched from"
    )

    // Apps get a new signature from Game Center at each sign-in. An old one may have been intercepted.
    private static let maximumAge = Duration.seconds(600)
    private static let clockSkew = Duration.seconds(60)
    private static let maximumSaltBytes = 64
    private static let modulusBytes = 256...1024

    package init(_ tools: ProviderTools) {
        environment = tools.environment
        certificates = GameCenterCertificates(
            environment: tools.environment,
            endpoint: tools.endpoints.override(of: Self.keysHost),
            trust: tools.gameCenterTrust
        )
    }

    /// Always refuses, because Game Center's credential has an endpoint of its own.
    package func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        throw APIError(
            .invalidCredentialOrProviderID,
            "The credential of \(credential.providerID) goes to accounts:signInWithGameCenter."
        )
    }

    /// Verifies a signature of Game Center.
    ///
    /// - Parameter bundleIDs: The bundle ids of our apps, compared exactly. An empty list refuses every proof (threat case
    ///   OID-02).
    package func verify(_ proof: GameCenterProof, bundleIDs: [String]) async throws -> VerifiedIdentity {
        guard bundleIDs.containsBytes(of: proof.bundleID) else {
            throw ProviderError(.claims, "The signature is for another app (bundle id).")
        }
        let now = environment.now()
        let signedAt = Timestamp(milliseconds: proof.timestamp)
        guard proof.timestamp > 0, signedAt <= now.advanced(by: Self.clockSkew),
            now < Timestamp(milliseconds: min(proof.timestamp, now.milliseconds)).advanced(by: Self.maximumAge)
        else { throw ProviderError(.claims, "The signature is too old, or of the future (timestamp).") }
        guard proof.salt.count <= Self.maximumSaltBytes else { throw ProviderError(.claims, "The salt is malformed.") }
        let key = try await certificates.key(at: proof.publicKeyURL)
        guard let modulus = try? key.getKeyPrimitives().modulus, Self.modulusBytes.contains(modulus.count) else {
            throw ProviderError(.keys, "The public key is too weak or too large.")
        }
        // Older systems sign the player's id, newer ones the id within our team. Only the signed id is accepted.
        let candidates = [proof.playerID, proof.teamPlayerID, proof.gamePlayerID].compactMap { $0.flatMap(ProfileText.subject) }
        guard let playerID = candidates.first(where: { Self.isSigned($0, proof, by: key) }) else {
            throw ProviderError(.signature, "The signature is invalid.")
        }
        var identity = VerifiedIdentity(providerID: Self.providerID, rawID: playerID, rawUserInfo: .object([:]))
        identity.displayName = proof.displayName.flatMap(ProfileText.name)
        // A signature is accepted only once, because it may have been intercepted.
        let hash = sha256([UInt8]("gameCenter:".utf8) + Self.message(of: playerID, proof))
        identity.singleUses = [.init(hash: hash, expiresAt: signedAt.advanced(by: Self.maximumAge))]
        return identity
    }

    // The bytes that Game Center signs.
    private static func message(of playerID: String, _ proof: GameCenterProof) -> [UInt8] {
        let time = withUnsafeBytes(of: proof.timestamp.bigEndian) { Array($0) }
        return Array(playerID.utf8) + Array(proof.bundleID.utf8) + time + proof.salt
    }

    private static func isSigned(_ playerID: String, _ proof: GameCenterProof, by key: _RSA.Signing.PublicKey) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: proof.signature),
            for: SHA256.hash(data: message(of: playerID, proof)),
            padding: .insecurePKCS1v1_5
        )
    }
}
