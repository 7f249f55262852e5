import Federation
package import Project

extension GameCenterSignIn {
    /// The proof as the app sends it, without the app's bundle id.
    package struct Request: Sendable {
        package var playerID: String?
        package var teamPlayerID: String?
        /// The player's id within one game, which games of Apple Arcade sign.
        package var gamePlayerID: String?
        package var publicKeyURL: String?
        /// Empty when it is missing or not base64. The rules of the proof refuse it in the contract's order.
        package var signature: [UInt8] = []
        /// As ``signature``.
        package var salt: [UInt8] = []
        /// In milliseconds since the epoch.
        package var timestamp: Int64 = 0
        package var displayName: String?
        /// The ID token of the account to link to.
        package var idToken: String?

        package init() {}
    }

    /// Runs a sign-in of the app that calls.
    ///
    /// - Throws: `APIError` `MISSING_CLIENT_IDENTIFIER`, which leaves no audit record.
    package func run(
        _ request: Request,
        context: CallContext
    ) async throws -> (session: AcceptedSignIn.Session, displayName: String?) {
        var proof = GameCenterProof(
            playerID: request.playerID,
            teamPlayerID: request.teamPlayerID,
            publicKeyURL: request.publicKeyURL ?? "",
            signature: request.signature,
            salt: request.salt,
            timestamp: request.timestamp,
            bundleID: try require(context.iosBundleID.flatMap { $0.isEmpty ? nil : $0 }, .missingClientIdentifier),
            displayName: request.displayName
        )
        proof.gamePlayerID = request.gamePlayerID
        return try await run(proof, idToken: request.idToken, context: context)
    }
}
