import Accounts
import Federation
import Foundation
import Project
import Storage

/// `accounts:signInWithGameCenter`: sign-in and linking with Game Center's signature (`Docs/Contract/client-accounts.md` §6).
struct SignInWithGameCenter: Endpoint {
    static let summary = "Signs in with Game Center's signature."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithGameCenter",
        legacyName: "signInWithGameCenter"
    )

    let signIn: GameCenterSignIn

    struct Body: ProtoDecodable {
        var proof = GameCenterProof()
        let idToken: String?

        init(_ body: ProtoObject) throws {
            proof.playerID = try body.text("playerId")
            proof.teamPlayerID = try body.text("teamPlayerId")
            proof.gamePlayerID = try body.text("gamePlayerId")
            proof.publicKeyURL = try body.text("publicKeyUrl") ?? ""
            proof.signature = try body.text("signature").flatMap(Self.bytes) ?? []
            proof.salt = try body.text("salt").flatMap(Self.bytes) ?? []
            proof.timestamp = try body.integer("timestamp") ?? 0
            proof.displayName = try body.text("displayName")
            idToken = try body.text("idToken")
        }

        // Bytes come in either alphabet of RFC 4648, with or without padding (`Docs/Contract/conventions.md` §3).
        private static func bytes(_ text: String) -> [UInt8]? {
            let standard = text.replacing("-", with: "+").replacing("_", with: "/").prefix { $0 != "=" }
            let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
            return Data(base64Encoded: standard + padding).map(Array.init)
        }
    }

    struct Answer: Codable {
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
        let (session, displayName) = try await signIn.signIn(body.proof, idToken: body.idToken, context: context)
        let tokens = session.tokens
        return Answer(
            localId: session.account.localID,
            playerId: body.proof.playerID,
            teamPlayerId: body.proof.teamPlayerID,
            gamePlayerId: body.proof.gamePlayerID,
            displayName: displayName,
            isNewUser: session.isNewUser,
            idToken: tokens.idToken,
            refreshToken: tokens.refreshToken,
            expiresIn: tokens.expiresInText
        )
    }
}
