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
        /// The account's password was right.
        case password(CheckedPassword)
        /// A new password, for a new account or for the one that is linked.
        case newPassword(NewPassword)
        /// A link sent to the address came back.
        case emailLink(EmailLink)
        /// A service account of the project vouches.
        case customToken(CustomIdentity)
        /// A code sent to the number came back.
        case phone(ProvenPhone)
    }

    /// A password that was checked against what the store held a moment ago.
    package struct CheckedPassword: Sendable {
        package let localID: String
        /// The stored form that it was checked against.
        package let storedText: String
        /// The stored form to put in its place, when the algorithm has moved on.
        package let rehashedText: String?
    }

    /// A password to be stored.
    package struct NewPassword: Sendable {
        /// Canonical address.
        package let email: String
        /// Its stored form.
        package let storedText: String
        package let displayName: String?
    }

    /// An e-mail link.
    package struct EmailLink: Sendable {
        /// Canonical address.
        package let email: String
        /// SHA-256 of the code.
        package let codeHash: [UInt8]
    }

    /// Whom a custom token speaks of.
    package struct CustomIdentity: Sendable {
        package let localID: String
        /// Claims of the session, as a JSON object's text.
        package let claims: String?

        package init(localID: String, claims: String?) {
            self.localID = localID
            self.claims = claims
        }
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
        case .password, .newPassword, .emailLink: "password"
        case .customToken: "custom"
        case .phone: "phone"
        }
    }
}
