import Project
import Storage
import Tokens

extension VerifiedIDToken {
    /// The claims of the token's session alone, as a JSON object's text, for a session that takes its place.
    ///
    /// They are the stored session's. The token's own claims do not do: it does not tell them from the account's, and those may have been
    /// taken away since.
    ///
    /// - Throws: `StorageError`.
    func sessionClaims(in transaction: any Transaction) throws -> String? {
        if case .session(let id) = life { return try transaction.session(scope, localID: localID, sessionID: id)?.claims }
        // A token that names no session may fit several, and has the claims of the one with the most.
        let sessions = try transaction.liveSessions(scope, localID: localID)
        let candidates = sessions.filter { $0.authTime == authTime && $0.signInProvider == signInProvider }
            .compactMap { session in session.claims.flatMap { try? JSONValue.parse($0.utf8).object } }
        return candidates.filter(bears).max { $0.count < $1.count }.map { JSONValue.object($0).text }
    }
}

extension AccountRecord {
    /// Makes every token from before a time invalid. What another node has set stays where its clock was ahead.
    mutating func endTokens(at time: Timestamp) { validSince = time.notBefore(seconds: validSince).seconds }
}
