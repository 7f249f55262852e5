import Project

/// The times of a token that a service account has signed: an assertion or a custom token.
///
/// Google's libraries put `iat` up to a minute back or take `exp` from another reading of the clock, so the span between them is judged
/// with the clock skew on both ends.
struct ServiceAccountTimes {
    private let payload: JSONValue

    /// The longest time from `iat` to `exp` as Google's pages give it.
    private static let maximumLifetimeSeconds: Int64 = 3600
    /// How long after its use a token may still be accepted: its `iat` may lie ahead of the clock by the skew.
    static let longestUseSeconds = maximumLifetimeSeconds + 4 * TokenIssuer.clockSkewSeconds

    init(_ payload: JSONValue) { self.payload = payload }

    /// Why a token cannot be accepted at a time.
    ///
    /// - Parameter now: In seconds.
    func fault(at now: Int64, of name: String) -> String? {
        let skew = TokenIssuer.clockSkewSeconds
        guard let issuedAt = payload["iat"]?.numericDate, issuedAt >= 0, issuedAt <= now + skew else {
            return "The issue time (iat) is missing or in the future."
        }
        guard let expiresAt = payload["exp"]?.numericDate, expiresAt > issuedAt,
            expiresAt - issuedAt <= Self.maximumLifetimeSeconds + 2 * skew
        else { return "The expiry (exp) must be at most an hour after the issue time (iat)." }
        return now < expiresAt + skew ? nil : "The \(name) has expired (exp)."
    }
}
