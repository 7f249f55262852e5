import Project
import Storage
import Tokens

/// Finds the accounts of refused calls.
struct RefusalSubjects: Sendable {
    let database: any Database
    let idTokens: TokenIssuer
    let mode: ModeRules

    /// Where a refusal is recorded, and of whom.
    struct Found: Sendable {
        var scope: Scope
        var localID: String?
    }

    /// Finds the accounts and checks the tenants, which strangers may have invented.
    ///
    /// - Returns: For each call its scope, the project's where its tenant does not exist, and its account if there is one.
    func find(_ calls: [(scope: Scope, subject: RefusedCall.Subject?)]) async throws -> [Found] {
        let tokens = calls.map { scope, subject -> VerifiedIDToken? in
            guard case .idToken(let text) = subject else { return nil }
            return try? idTokens.verify(text, projectID: scope.projectID)
        }
        return try await database.read { [mode] transaction in
            try zip(calls, tokens).map { call, token in
                var found = Found(scope: token?.scope ?? call.scope, localID: token?.localID)
                if case .refreshToken(let text) = call.subject,
                    let session = try transaction.session(tokenHash: Self.token(text, mode).hash),
                    session.scope.projectID == call.scope.projectID
                {
                    found = Found(scope: session.scope, localID: session.localID)
                }
                if let tenantID = found.scope.tenantID,
                    try transaction.resource(found.scope.project, kind: .tenant, resourceID: tenantID) == nil
                {
                    return Found(scope: found.scope.project)
                }
                switch call.subject {
                case .account(let localID): found.localID = try transaction.account(found.scope, localID: localID)?.localID
                case .email(let text):
                    let email = EmailAddress.canonical(text)
                    found.localID = try email.flatMap { try transaction.account(found.scope, email: $0) }?.localID
                case .phoneNumber(let number):
                    found.localID = try transaction.account(found.scope, phoneNumber: number)?.localID
                case .idToken, .refreshToken, nil: break
                }
                return found
            }
        }
    }

    private static func token(_ text: String, _ mode: ModeRules) -> RefreshToken {
        mode.respellsRefreshTokens ? RefreshToken(respelled: text) : RefreshToken(text: text)
    }
}
