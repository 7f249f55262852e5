import Federation
import Foundation
import Project
import Settings
import Storage
import Tokens

/// An accepted first factor that waits for the second (`Docs/Contract/tokens.md` §7).
package struct PendingSecondFactor: Codable, Sendable {
    let projectID: String
    let tenantID: String?
    let localID: String
    /// `firebase.sign_in_provider` of the first factor.
    let signInProvider: String
    /// `firebase.sign_in_attributes`, as a JSON object's text.
    let signInAttributes: String?
    let postponed: PostponedProof?
    // The state of the account; a new password or a revocation invalidates the credential.
    let validSince: Int64?
    let passwordUpdatedAt: Int64?
    let generation: Int64
    /// A random id, by which the credential is used up.
    let id: [UInt8]
    /// Milliseconds since the epoch.
    let expiresAt: Int64
}

/// What a first factor proved that would take the account over. It counts once the second factor is proven.
enum PostponedProof: Codable, Sendable {
    /// An identity that is new to the account.
    case identity(VerifiedIdentity)
    /// The account's address, by an e-mail link.
    case email(String)
}

/// Seals and opens `mfaPendingCredential`.
package struct PendingSecondFactors: Sendable {
    let environment: ServerEnvironment
    let mode: ModeRules
    let sealer: TokenSealer
    let lifetime: Duration

    /// Seals a first factor.
    ///
    /// - Parameters:
    ///   - provider: `firebase.sign_in_provider`.
    ///   - attributes: `firebase.sign_in_attributes`.
    ///   - postponed: What the first factor proved, if the account takes that over with the second one.
    /// - Returns: The `mfaPendingCredential`.
    func seal(
        _ account: AccountRecord,
        provider: String,
        attributes: JSONValue?,
        postponed: PostponedProof?,
        scope: Scope
    ) throws -> String {
        let expiry = environment.now().advanced(by: lifetime)
        let pending = PendingSecondFactor(
            projectID: scope.projectID,
            tenantID: scope.tenantID,
            localID: account.localID,
            signInProvider: provider,
            signInAttributes: attributes?.text,
            postponed: postponed,
            validSince: account.validSince,
            passwordUpdatedAt: account.passwordUpdatedAt?.milliseconds,
            generation: account.proofGeneration,
            id: environment.random(16),
            expiresAt: expiry.milliseconds
        )
        // The scope is part of the content rather than of the seal, so that a wrong scope gets its own error.
        do {
            return try sealer.seal(JSONEncoder().encode(pending), for: .mfaPendingCredential, expiresAt: expiry)
        } catch is TokenSealer.TooLong where postponed != nil {
            // The user signs in all the same. An identity with a profile of that size is not stored.
            return try seal(account, provider: provider, attributes: attributes, postponed: nil, scope: scope)
        }
    }

    /// Opens a credential.
    ///
    /// - Throws: `APIError` `INVALID_MFA_PENDING_CREDENTIAL`, in development the emulator's text for it; `INVALID_PROJECT_ID` for
    ///   a credential of another scope.
    func open(_ text: String, scope: Scope) throws -> PendingSecondFactor {
        let pending: PendingSecondFactor
        do {
            let data = try sealer.open(text, for: .mfaPendingCredential)
            pending = try JSONDecoder().decode(PendingSecondFactor.self, from: data)
        } catch {
            throw APIError(mode.unreadablePendingCredential, cause: error)
        }
        guard Scope(projectID: pending.projectID, tenantID: pending.tenantID) == scope else {
            throw APIError(.invalidProjectID, "Project ID does not match MFA pending credential.")
        }
        return pending
    }

    /// Reads the account of a credential, if it has not changed since the first factor was accepted.
    ///
    /// - Throws: `APIError` `USER_DISABLED`, which ended the credential for good; `INVALID_MFA_PENDING_CREDENTIAL`.
    static func account(of pending: PendingSecondFactor, _ scope: Scope, in transaction: Transaction) throws -> AccountRecord {
        guard let account = try transaction.account(scope, localID: pending.localID) else {
            throw APIError(.invalidMFAPendingCredential)
        }
        if account.isDisabled { throw APIError(.userDisabled).about(.account(account.localID)) }
        guard account.validSince == pending.validSince, account.proofGeneration == pending.generation,
            account.passwordUpdatedAt?.milliseconds == pending.passwordUpdatedAt
        else { throw APIError(.invalidMFAPendingCredential) }
        return account
    }
}
