import Project
import Storage
import Tokens
package import WebAuthn

/// A factor that an operator shows.
package enum OperatorFactor: Sendable {
    case passkey(AuthenticatorResponse)
    case password(String, code: String)

    /// The name in the audit trail.
    var name: String {
        switch self {
        case .passkey: "passkey"
        case .password: "password"
        }
    }
}

/// A factor that an operator is about to get.
package enum NewOperatorFactor: Sendable {
    case passkey(AuthenticatorResponse, name: String)
    /// A password, and the first code of the app that has the offered secret.
    case password(String, code: String, offer: String)
}

/// What a page needs to set up either factor.
package struct OperatorFactorOffer: Sendable {
    package let passkey: OperatorCeremony
    package let app: OperatorPassword.Offer
}

/// Gives operators their factors, by an invitation or in a session.
struct OperatorFactorSetup: Sendable {
    let base: OperatorServices
    let passkeys: OperatorPasskeys
    let password: OperatorPassword

    /// Where a factor is set up. What is offered in one place is good in no other, so that nobody sets one up for others.
    enum Place {
        /// By the invitation whose code has this hash.
        case invitation([UInt8])
        /// In the session with this hash.
        case session([UInt8])

        fileprivate var passkey: PasskeyChallenges.Purpose {
            let subject =
                switch self {
                case .invitation: app
                case .session(let hash): "addition:\(hexadecimal(hash))"
                }
            return PasskeyChallenges.Purpose(sealed: .operatorCeremony, subject: subject)
        }

        fileprivate var app: String {
            switch self {
            case .invitation(let hash): "invitation:\(hexadecimal(hash))"
            case .session(let hash): "session:\(hexadecimal(hash))"
            }
        }
    }

    /// Begins with both factors.
    ///
    /// - Parameter known: The operator whose passkeys a new one must not be.
    func offer(to user: OperatorCeremony.User, in place: Place, known: String? = nil) async throws -> OperatorFactorOffer {
        OperatorFactorOffer(
            passkey: try await passkeys.options(for: place.passkey, user: user, known: known),
            app: try password.offer(for: place.app, email: user.email)
        )
    }

    /// A factor that was checked, for the transaction that stores it.
    struct Checked: Sendable {
        let name: String
        /// The record of its addition to an operator who has others.
        let addition: (kind: AuditEvent.Kind, detail: JSONValue?)
        /// Stores the factor; the operator's own row is left to the caller.
        let store: @Sendable (inout OperatorRecord, Transaction, Timestamp) throws -> Void
    }

    /// Checks a factor that an operator is to get.
    func check(
        _ factor: NewOperatorFactor,
        of operatorID: String,
        in place: Place,
        from client: CallContext
    ) async throws -> Checked {
        switch factor {
        case .passkey(let response, let name):
            let (made, challenge) = try passkeys.registration(response, for: place.passkey)
            let id: JSONValue = ["passkey": .string(Base64URL.encode(made.credentialID))]
            return Checked(name: "passkey", addition: (.operatorPasskeyAdded, id)) { [passkeys] record, transaction, time in
                try challenge.use(in: transaction)
                try passkeys.insert(made, of: record.operatorID, named: name, at: time, in: transaction)
            }
        case .password(let text, let code, let offer):
            let made = try await password.prepare(
                text,
                code: code,
                offer: offer,
                subject: place.app,
                of: operatorID,
                from: client
            )
            return Checked(name: "password", addition: (.operatorPasswordSet, nil)) { record, _, _ in
                (record.passwordHash, record.sealedTOTP, record.totpStep) = (made.passwordHash, made.sealedTOTP, made.step)
            }
        }
    }
}
