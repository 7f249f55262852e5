import Project
import Storage
import Tokens

extension VerifiedIDToken {
    /// The claims of the token's session alone, as a JSON object's text, for a session that replaces it.
    ///
    /// They are read from the stored session. The token does not tell session claims from account claims, which may have been
    /// removed since.
    func sessionClaims(in transaction: Transaction) throws -> String? {
        if case .session(let id) = life { return try transaction.session(scope, localID: localID, sessionID: id)?.claims }
        // A token without a session id may fit several sessions. Of those whose claims the token has, the one with the most
        // claims is taken.
        let sessions = try transaction.liveSessions(scope, localID: localID)
        let candidates = sessions.filter { $0.authTime == authTime && $0.signInProvider == signInProvider }
            .compactMap { session in session.claims.flatMap { try? JSONValue.parse($0.utf8).object } }
        return candidates.filter(bears).max { $0.count < $1.count }.map { JSONValue.object($0).text }
    }
}

extension AccountRecord {
    /// Invalidates all tokens issued before a time. A later time that another node set stays.
    mutating func endTokens(at time: Timestamp) { validSince = time.notBefore(seconds: validSince).seconds }
}
