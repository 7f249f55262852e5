package import Project

/// The identity that a provider vouches for, in the same form for every provider.
package struct VerifiedIdentity: Sendable, Hashable, Codable {
    package var providerID: String
    /// The provider's own id of the user, `sub` in OpenID Connect.
    package var rawID: String
    /// The id in the wire's `federatedId` (`Docs/Contract/client-accounts.md` §5.4).
    package var federatedID: String
    /// Canonical address; `nil` when the provider sent none or an invalid one.
    package var email: String?
    /// Whether the provider is trusted to have checked that the user owns ``email`` (`Docs/Contract/client-accounts.md` §5.5).
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
    /// `firebase.sign_in_attributes` of the ID token, if the provider sends attributes of its own.
    package var signInAttributes: JSONValue?
    /// The tokens that the client gets back, unchanged.
    package var idToken: String?
    package var accessToken: String?
    /// The secret of an OAuth 1.0a ``accessToken``.
    package var tokenSecret: String?
    /// The remaining life of ``accessToken`` in seconds, if the provider states it.
    package var accessTokenSeconds: Int64?
    /// The raw nonce that the client sent with ``idToken``.
    package var nonce: String?
    /// The refresh token of a code exchange.
    package var refreshToken: String?
    /// The entries of the credential in the replay guard. Each is accepted only once.
    package var singleUses: [SingleUse] = []
    /// The entry of a credential that stays good: it makes none, and is refused where there is one, because the credential was also shown in
    /// a way that uses it up.
    package var refusedAfter: SingleUse?
    /// The account that the identity has signed in to, when it comes back in a pending credential; `nil` when there is none.
    package var binding: Binding?

    package init(providerID: String, rawID: String, rawUserInfo: JSONValue) {
        self.providerID = providerID
        self.rawID = rawID
        federatedID = rawID
        self.rawUserInfo = rawUserInfo
    }

    /// Takes the e-mail, and whether it is verified, from another token of the same user, as far as this identity lacks them.
    package mutating func takeEmail(from other: VerifiedIdentity) {
        guard email == nil || (email == other.email && rawUserInfo["email_verified"] == nil) else { return }
        email = other.email
        isEmailVerified = other.isEmailVerified
    }

    /// The identity without the provider's tokens, and without the nonce that makes one good.
    package var withoutTokens: VerifiedIdentity {
        var identity = self
        (identity.idToken, identity.accessToken, identity.tokenSecret, identity.accessTokenSeconds) = (nil, nil, nil, nil)
        (identity.nonce, identity.refreshToken) = (nil, nil)
        return identity
    }

    /// What of the identity is stored: neither tokens, nor the provider's own profile.
    package var withoutSecrets: VerifiedIdentity {
        var identity = withoutTokens
        identity.rawUserInfo = .object([:])
        (identity.signInAttributes, identity.singleUses, identity.refusedAfter, identity.binding) = (nil, [], nil, nil)
        return identity
    }

    /// The account that an identity has signed in to.
    package struct Binding: Sendable, Hashable, Codable {
        package let localID: String
        /// The account's generation of sealed tokens at that sign-in. A later generation shows that they have been ended since.
        package let generation: Int64

        package init(localID: String, generation: Int64) {
            self.localID = localID
            self.generation = generation
        }
    }

    /// An entry of the replay guard for a credential.
    package struct SingleUse: Sendable, Hashable, Codable {
        /// SHA-256 of the part that identifies the credential.
        package let hash: [UInt8]
        /// Time in milliseconds since the epoch after which the credential is refused in any case.
        package let expiresAt: Int64

        package init(hash: [UInt8], expiresAt: Timestamp) {
            self.hash = hash
            self.expiresAt = expiresAt.milliseconds
        }
    }
}
