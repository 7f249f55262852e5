package import Federation
package import Tokens

/// A verified credential on its way into the pipeline: every sign-in method is one of these, and nothing more.
package struct SignInProof: Sendable {
    /// How the user proved who they are.
    package enum Method: Sendable {
        /// Nobody in particular: a new account without any way back in.
        case anonymous
        /// An identity provider vouches.
        case identityProvider(VerifiedIdentity)
    }

    package var method: Method
    /// The signed-in account to link to; `nil` signs in.
    package var linkTo: VerifiedIDToken?
    /// `false` never creates an account.
    package var autoCreate: Bool

    package init(method: Method, linkTo: VerifiedIDToken? = nil, autoCreate: Bool = true) {
        self.method = method
        self.linkTo = linkTo
        self.autoCreate = autoCreate
    }

    /// `firebase.sign_in_provider` of the tokens (`contract/tokens.md` §1.5).
    var signInProvider: String {
        switch method {
        case .anonymous: "anonymous"
        case .identityProvider(let identity): identity.providerID
        }
    }
}
