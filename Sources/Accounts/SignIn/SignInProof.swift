package import Federation
import Project
import Storage
package import Tokens

/// A verified credential for the pipeline. Each sign-in method is one of these.
package struct SignInProof: Sendable {
    package enum Method: Sendable {
        /// A new anonymous account, to which its user cannot sign in again.
        case anonymous
        /// The identity that a provider asserts.
        case identityProvider(VerifiedIdentity)
        /// The account's password, already checked.
        case password(CheckedPassword)
        /// A new password, for a new account or for the signed-in one.
        case newPassword(NewPassword)
        /// The link that was sent to an address.
        case emailLink(EmailLink)
        /// The user that a service account of the project names.
        case customToken(CustomIdentity)
        /// A second factor after a first one.
        case secondFactor(ShownFactor)
        /// A passkey of the account.
        case passkey(CheckedPasskey)
        /// The code that was sent to a number.
        case phone(ProvenPhone)
    }

    /// A password that was checked against an earlier reading of the store.
    package struct CheckedPassword: Sendable {
        package let localID: String
        /// The stored form that the password was checked against.
        package let storedText: String
        /// The new stored form, if the hash parameters have changed.
        package let rehashedText: String?
    }

    /// A password to be stored.
    package struct NewPassword: Sendable {
        /// The address in canonical form.
        package let email: String
        /// The password's stored form.
        package let storedText: String
        /// The new name; empty clears it, `nil` leaves it unchanged.
        package let displayName: String?
        /// Whether an account that already has the address keeps it, proven or not.
        var mayKeepAddress = false
    }

    /// An e-mail link.
    package struct EmailLink: Sendable {
        /// The address in canonical form.
        package let email: String
        /// The SHA-256 of the code.
        package let codeHash: [UInt8]
    }

    /// The user that a custom token names.
    package struct CustomIdentity: Sendable {
        package let localID: String
        /// The claims of the session, as a JSON object's text.
        package let claims: String?
    }

    /// A second factor after an accepted first one.
    package struct ShownFactor: Sendable {
        let first: PendingSecondFactor
        /// The id of the factor.
        let enrollmentID: String
        let evidence: Evidence

        enum Evidence: Sendable {
            /// The number that the redeemed code was sent to.
            case number(String)
            /// A TOTP code, checked in the transaction that stores its step. It is valid for seconds, so it is checked at the time at which
            /// it was sent, however long it has waited for others since.
            case code(String, TOTPSecrets, adjacentIntervals: Int, sentAt: Timestamp)
        }
    }

    /// A passkey whose signature was verified against an earlier reading of the store.
    package struct CheckedPasskey: Sendable {
        let credentialID: String
        let localID: String
        let publicKey: [UInt8]?
        /// `nil` in development, which checks only the credential id.
        let assertion: PasskeyChallenges.Assertion?
    }

    package var method: Method
    /// The ID token of the account to link to, whose sign-in the pipeline checks by its ``RecentLoginRule``; `nil` signs in.
    package var linkTo: VerifiedIDToken?
    /// `false` never creates an account.
    package var autoCreate = true
    /// Whether a refused link uses its credential up, because another credential replaces it.
    var usesUpRefusedCredential = false
    /// Whether the identity comes from a `pendingToken`, which can be used once for any account.
    var isPendingCredential = false
    /// Whether a client that did not get the answer brings the identity once more (``AuthorizationFlows``), which is good without regard to
    /// its first use.
    var isRepeatedAnswer = false
    /// Whether the answer may depend on who has the identity's address, although its provider does not vouch for it: the look-up has been
    /// counted (threat case ENU-07).
    var mayLookUpAddress = false
    /// The second factors of a new account; empty leaves the factors unchanged.
    var secondFactors: [SecondFactor] = []

    /// `firebase.sign_in_provider` of the tokens (`Docs/Contract/tokens.md` §1.5).
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
        switch method {
        case .identityProvider(let identity): identity.signInAttributes
        case .secondFactor(let shown): shown.first.signInAttributes.flatMap { try? JSONValue.parse($0.utf8) }
        default: nil
        }
    }

    /// The claims of the session alone, as a JSON object's text.
    var sessionClaims: String? { if case .customToken(let custom) = method { custom.claims } else { nil } }

    /// Whether the account's second factor is demanded after this method (`Docs/Contract/phone-and-mfa.md` §6). A passkey
    /// verifies its user itself, and the issuer of a custom token is responsible for its user.
    var leadsToSecondFactor: Bool {
        switch method {
        case .password, .emailLink: true
        case .identityProvider(let identity): Providers.facts(of: identity.providerID)?.allowsSecondFactor ?? true
        case .anonymous, .newPassword, .customToken, .secondFactor, .passkey, .phone: false
        }
    }

    /// Whether the network of a session that this begins becomes usual for the account: its user has shown that the account is theirs.
    /// A sign-up by password shows nothing, a link in a session shows something else, and who makes custom tokens may be anybody's server.
    var marksNetwork: Bool {
        switch method {
        case .identityProvider, .password, .emailLink, .secondFactor, .passkey, .phone: linkTo == nil
        case .anonymous, .newPassword, .customToken: false
        }
    }

    /// Whether a link is counted before its transaction: a new password is, before it is hashed.
    var countsBeforeStored: Bool { if case .newPassword = method { true } else { false } }
}
