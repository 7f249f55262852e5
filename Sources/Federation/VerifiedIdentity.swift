package import Project

/// What an identity provider vouches for, in the same shape for every provider: nothing provider-specific leaves its file.
package struct VerifiedIdentity: Sendable, Hashable, Codable {
    package var providerID: String
    /// The provider's own id of the user, `sub` in OpenID Connect.
    package var rawID: String
    /// The id as the wire's `federatedId` has it (`contract/client-accounts.md` §5.4).
    package var federatedID: String
    /// Canonical address; `nil` when the provider gave none or none that is one.
    package var email: String?
    /// Whether the provider is trusted to have checked that the user owns ``email`` (`contract/client-accounts.md` §5.5).
    package var isEmailVerified = false
    package var displayName: String?
    package var firstName: String?
    package var lastName: String?
    package var screenName: String?
    package var nickName: String?
    package var photoURL: String?
    package var language: String?
    package var timeZone: String?
    package var dateOfBirth: String?
    /// `rawUserInfo`: the provider's profile.
    package var rawUserInfo: JSONValue
    /// `firebase.sign_in_attributes` of the ID token, where the provider sends attributes of its own.
    package var signInAttributes: JSONValue?
    /// The tokens to hand back to the client, as it gave them.
    package var idToken: String?
    package var accessToken: String?
    /// The secret of an OAuth 1.0a ``accessToken``.
    package var tokenSecret: String?
    /// For how many seconds ``accessToken`` goes on working, where the provider says so.
    package var accessTokenSeconds: Int64?
    /// The raw nonce that the client sent with ``idToken``.
    package var nonce: String?
    /// The refresh token of a code exchange.
    package var refreshToken: String?
    /// What the replay guard remembers of the credential: each may be accepted once only.
    package var singleUses: [SingleUse] = []
    /// Set when the identity has signed in before and comes back.
    package var binding: Binding?

    package init(providerID: String, rawID: String, rawUserInfo: JSONValue) {
        self.providerID = providerID
        self.rawID = rawID
        federatedID = rawID
        self.rawUserInfo = rawUserInfo
    }

    /// Takes the e-mail, and whether it is verified, from another token of the same user, as far as this one says nothing of it.
    package mutating func takeEmail(from other: VerifiedIdentity) {
        guard email == nil || (email == other.email && rawUserInfo["email_verified"] == nil) else { return }
        email = other.email
        isEmailVerified = other.isEmailVerified
    }

    /// The account that an identity has signed in to.
    package struct Binding: Sendable, Hashable, Codable {
        package let localID: String
        /// The account's generation of sealed tokens when it signed in: everything may have been ended since.
        package let generation: Int64

        package init(localID: String, generation: Int64) {
            self.localID = localID
            self.generation = generation
        }
    }

    /// What the replay guard remembers of a credential.
    package struct SingleUse: Sendable, Hashable, Codable {
        /// SHA-256 of what identifies the credential.
        package let hash: [UInt8]
        /// Milliseconds since the epoch after which the credential is refused anyway.
        package let expiresAt: Int64

        package init(hash: [UInt8], expiresAt: Timestamp) {
            self.hash = hash
            self.expiresAt = expiresAt.milliseconds
        }
    }
}
