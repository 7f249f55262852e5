package import Project

/// An opaque refresh token: 256 random bits, of which the store keeps only the hash (`design/architecture.md` §3).
package struct RefreshToken: Sendable {
    /// What the client holds.
    package let text: String
    /// What the store holds: SHA-256 of the text.
    package let hash: [UInt8]

    /// Makes a fresh token.
    package init(_ environment: ServerEnvironment) {
        self.init(text: Base64URL.encode(environment.random(32)))
    }

    /// Takes a token that a client presents in any of its spellings: what stands before a dot is the token.
    package init(respelled text: String) { self.init(text: String(text.prefix { $0 != "." })) }

    /// Another spelling of the token, for development, where each refresh gives another text (`contract/tokens.md` §2.1).
    package func respelled(_ environment: ServerEnvironment) -> RefreshToken {
        RefreshToken(text: "\(text).\(environment.randomText(length: 8))", hash: hash)
    }

    private init(text: String, hash: [UInt8]) {
        self.text = text
        self.hash = hash
    }

    /// Takes a token that a client presents; any text will do, for only its hash is looked up.
    package init(text: String) {
        self.text = text
        hash = sha256(text.utf8)
    }
}
