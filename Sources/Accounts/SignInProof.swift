package import Federation
import Project
import Storage
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
        /// A second factor was shown, after a first.
        case secondFactor(ShownFactor)
        /// A passkey of the account signed.
        case passkey(CheckedPasskey)
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
        /// Empty clears it, `nil` leaves it as it is.
        package let displayName: String?
        /// Whether an account that has the address already keeps it, proven or not.
        var mayKeepAddress = false
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

    /// A second factor behind a first one that was accepted.
    package struct ShownFactor: Sendable {
        let first: PendingSecondFactor
        /// The factor that was shown.
        let enrollmentID: String
        let evidence: Evidence

        /// What shows the factor.
        enum Evidence: Sendable {
            /// A code sent to this number came back.
            case number(String)
            /// A TOTP code, to be checked in the transaction that remembers its step.
            case code(String, TOTPSecrets, adjacentIntervals: Int)
        }
    }

    /// A passkey whose signature was verified with what the store held a moment ago.
    package struct CheckedPasskey: Sendable {
        let credentialID: String
        let localID: String
        let publicKey: [UInt8]?
        /// `nil` in development, which trusts the id alone.
        let assertion: Assertion?

        /// What of the assertion the store must still judge.
        struct Assertion: Sendable {
            /// SHA-256 of the challenge.
            let challengeHash: [UInt8]
            /// When the challenge is refused anyway.
            let expiresAt: Timestamp
            let signCount: Int64
        }
    }

    package var method: Method
    /// The signed-in account to link to; `nil` signs in.
    package var linkTo: VerifiedIDToken?
    /// How recent the sign-in behind ``linkTo`` must be; `nil` for methods whose own rules say it.
    package var linkRule: RecentLoginRule?
    /// `false` never creates an account.
    package var autoCreate: Bool
    /// Whether a credential whose link is refused counts as used, for another takes its place.
    var usesUpRefusedCredential = false
    /// Whether the identity comes from a `pendingToken`, which is good for one use whatever the account.
    var isPendingCredential = false
    /// The second factors that a new account is to have; empty leaves them alone.
    var secondFactors: [SecondFactor] = []

    package init(method: Method, linkTo: VerifiedIDToken? = nil, linkRule: RecentLoginRule? = nil, autoCreate: Bool = true) {
        self.method = method
        self.linkTo = linkTo
        self.linkRule = linkRule
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
        case .secondFactor(let shown): shown.first.signInProvider
        case .passkey: "passkey"
        }
    }

    /// `firebase.sign_in_attributes` of the tokens.
    var signInAttributes: JSONValue? {
        if case .identityProvider(let identity) = method { identity.signInAttributes } else { nil }
    }

    /// Whether an account's second factor is asked for after this one (`contract/phone-and-mfa.md` §6). A passkey verifies its
    /// user itself, and whoever mints custom tokens answers for theirs.
    var leadsToSecondFactor: Bool {
        switch method {
        case .password, .emailLink: true
        case .identityProvider(let identity): Providers.facts(of: identity.providerID)?.allowsSecondFactor ?? true
        case .anonymous, .newPassword, .customToken, .secondFactor, .passkey, .phone: false
        }
    }
}
