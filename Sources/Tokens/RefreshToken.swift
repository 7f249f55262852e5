package import Project

/// An opaque refresh token: 256 random bits. The store keeps only its hash (`Docs/Architecture.md#secrets-and-tokens`).
package struct RefreshToken: Sendable {
    /// The token that the client holds.
    package let text: String
    /// The hash in the store: SHA-256 of the text.
    package let hash: [UInt8]

    /// Makes a fresh token.
    package init(_ environment: ServerEnvironment) {
        self.init(text: Base64URL.encode(environment.random(32)))
    }

    /// Reads a token that a client presents, as it was made or in a spelling that ``respelled(_:)`` makes.
    package init(respelled text: String) {
        let parts = text[...].utf8.pieces(separatedBy: UInt8(ascii: "."), maximum: 3)
        let isSpelling = parts.count == 2 && parts[1].count == Self.spellingLength
        self.init(text: isSpelling ? String(Substring(parts[0])) : text)
    }

    private static let spellingLength = 8

    /// Another spelling of the token, for development, where each refresh gives another text (`Docs/Contract/tokens.md` §2.1).
    package func respelled(_ environment: ServerEnvironment) -> RefreshToken {
        RefreshToken(text: "\(text).\(environment.randomText(length: Self.spellingLength))", hash: hash)
    }

    private init(text: String, hash: [UInt8]) {
        self.text = text
        self.hash = hash
    }

    /// Reads a token that a client presents. Any text is accepted, because only its hash is looked up.
    package init(text: String) {
        self.text = text
        hash = sha256(text.utf8)
    }
}
