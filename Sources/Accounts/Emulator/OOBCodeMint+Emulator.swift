import Foundation
import Logging
package import Project
package import Storage
import Tokens

extension OOBCodeMint {
    /// A code as development shows it.
    package struct Shown: Sendable, Codable {
        package let code: String
        package let link: String
    }

    /// Keeps a code and its link in the record in development, where tests ask for them, and writes the link to the log. Does
    /// nothing in production.
    package func keep(_ link: String, in draft: inout Draft, scope: Scope) throws {
        guard mode.showsCodes else { return }
        let shown = try JSONEncoder().encode(Shown(code: draft.code, link: link))
        draft.record.sealedCode = try sealer.seal(shown, for: .oobCode, scope: scope)
        logger.notice("To \(draft.record.type.purpose) \(draft.record.email), follow this link: \(link)")
    }

    /// Opens the code and link that development keeps in a record; `nil` when there are none.
    package func shown(_ record: OOBCodeRecord, scope: Scope) -> Shown? {
        guard let sealed = record.sealedCode, let opened = try? sealer.open(sealed, for: .oobCode, scope: scope) else {
            return nil
        }
        return try? JSONDecoder().decode(Shown.self, from: opened)
    }
}

extension OOBRequestType {
    /// The effect of a link, in words for the log.
    fileprivate var purpose: String {
        switch self {
        case .passwordReset: "reset the password for"
        case .verifyEmail: "verify the email address"
        case .emailSignIn: "sign in as"
        case .verifyAndChangeEmail: "verify and change the email address"
        case .recoverEmail: "reset the email address to"
        case .revertSecondFactorAddition: "take back the second factor of"
        }
    }
}
