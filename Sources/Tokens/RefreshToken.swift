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

    /// Takes a token that a client presents; any text will do, for only its hash is looked up.
    package init(text: String) {
        self.text = text
        hash = sha256(text.utf8)
    }
}
