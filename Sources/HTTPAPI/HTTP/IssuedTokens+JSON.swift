import Accounts

extension IssuedTokens {
    /// Decimal seconds, as answers have them (`Docs/Contract/conventions.md` §4.1).
    var expiresInText: String { String(expiresIn) }
}
