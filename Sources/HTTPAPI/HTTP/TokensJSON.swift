import Accounts

/// The members with tokens, copied into the answers that have them.
struct TokensJSON {
    let idToken: String
    let refreshToken: String
    /// Decimal seconds, as text (`Docs/Contract/conventions.md` §4.1).
    let expiresIn: String

    init(_ tokens: IssuedTokens) {
        idToken = tokens.idToken
        refreshToken = tokens.refreshToken
        expiresIn = String(tokens.expiresIn)
    }
}
