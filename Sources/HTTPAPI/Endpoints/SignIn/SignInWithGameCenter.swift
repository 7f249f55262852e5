import Accounts
import Federation
import Foundation
import HTTPTypes
import Project
import Storage

/// `accounts:signInWithGameCenter`: sign-in and linking with Game Center's signature (`Docs/Contract/client-accounts.md` §6).
struct SignInWithGameCenter: Endpoint {
    static let summary = "Signs in with Game Center's signature."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithGameCenter",
        legacyName: "signInWithGameCenter"
    )

    let signIn: GameCenterSignIn

    struct Body: ProtoDecodable {
        let playerID: String?
        let teamPlayerID: String?
        let gamePlayerID: String?
        let publicKeyURL: String?
        let signature: String?
        let salt: String?
        let timestamp: Int64
        let displayName: String?
        let idToken: String?

        init(_ body: ProtoObject) throws {
            playerID = try body.text("playerId")
            teamPlayerID = try body.text("teamPlayerId")
            gamePlayerID = try body.text("gamePlayerId")
            publicKeyURL = try body.text("publicKeyUrl")
            signature = try body.text("signature")
            salt = try body.text("salt")
            timestamp = try body.integer("timestamp") ?? 0
            displayName = try body.text("displayName")
            idToken = try body.text("idToken")
        }
    }

    struct Answer: Encodable {
        let localId: String
        let playerId: String?
        let teamPlayerId: String?
        let gamePlayerId: String?
        let displayName: String?
        let isNewUser: Bool
        let idToken: String
        let refreshToken: String
        let expiresIn: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let bundleID = try require(context.iosBundleID.flatMap { $0.isEmpty ? nil : $0 }, .missingClientIdentifier)
        var proof = GameCenterProof(
            playerID: body.playerID,
            teamPlayerID: body.teamPlayerID,
            publicKeyURL: body.publicKeyURL ?? "",
            // A signature or salt that is not base64 becomes empty, and the rules refuse it in the contract's order.
            signature: body.signature.flatMap(Self.bytes) ?? [],
            salt: body.salt.flatMap(Self.bytes) ?? [],
            timestamp: body.timestamp,
            bundleID: bundleID,
            displayName: body.displayName
        )
        proof.gamePlayerID = body.gamePlayerID
        let (session, displayName) = try await signIn.run(proof, idToken: body.idToken, context: context)
        let tokens = TokensJSON(session.tokens)
        return Answer(
            localId: session.account.localID,
            playerId: body.playerID,
            teamPlayerId: body.teamPlayerID,
            gamePlayerId: body.gamePlayerID,
            displayName: displayName,
            isNewUser: session.isNewUser,
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            expiresIn: tokens.expiresIn
        )
    }

    // Bytes come in either alphabet of RFC 4648, with or without padding (`Docs/Contract/conventions.md` §3).
    private static func bytes(_ text: String) -> [UInt8]? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/").prefix { $0 != "=" }
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)).map(Array.init)
    }
}
