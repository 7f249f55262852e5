package import Foundation
package import Passwords
package import Project
package import Storage
import Tenancy

/// The steps behind the links in e-mails: look at a code, act on it, go on (`Docs/Contract/web-handler.md` §8).
///
/// Looking does not use a code up, because mail scanners follow links. Each step takes the code itself; the server stores nothing between the
/// steps (threat case OOB-08).
package struct EmailActions: Sendable {
    let configurations: ConfigurationStore
    let reset: PasswordReset
    let application: CodeApplication
    let send: SendOOBCode

    /// Looks at a code without using it.
    ///
    /// - Throws: `APIError` `INVALID_OOB_CODE`, also for a code of another type, `EXPIRED_OOB_CODE`, `USER_DISABLED`,
    ///   `PASSWORD_LOGIN_DISABLED`, `INVALID_TENANT_ID`.
    package func look(at code: String, as type: OOBRequestType, context: CallContext) async throws -> OOBCodeInfo {
        let policy = try await configurations.configuration(of: context.scope).policy
        if type == .passwordReset, !policy.allowsPassword { throw APIError(.passwordLoginDisabled) }
        let info = try await reset.check(code, context: context)
        guard info.type == type else { throw APIError(.invalidOOBCode) }
        return info
    }

    /// Uses a code up and applies it.
    ///
    /// - Parameter type: The purpose that the link states; a sign-in link is refused, because the app uses it.
    /// - Throws: As ``look(at:as:context:)``; `APIError` `EMAIL_EXISTS`, and for a weak password, which does not use the code up.
    package func act(
        on code: String,
        as type: OOBRequestType,
        password: String?,
        context: CallContext
    ) async throws -> OOBCodeInfo {
        let info = try await look(at: code, as: type, context: context)
        switch type {
        case .passwordReset: return try await reset.confirm(code, password: password ?? "", context: context)
        case .emailSignIn: throw APIError(.invalidOOBCode)
        default:
            _ = try await application.apply(code, context: context)
            return info
        }
    }

    /// Reads the rules for new passwords.
    package func passwordPolicy(context: CallContext) async throws -> PasswordPolicy {
        try await configurations.configuration(of: context.scope).passwordPolicy
    }

    /// Whether passwords are allowed, so that they can be reset.
    package func allowsPasswords(context: CallContext) async throws -> Bool {
        try await configurations.configuration(of: context.scope).policy.allowsPassword
    }

    /// Decides whether a page may lead on to an address.
    package func continuation(_ url: String?, context: CallContext) async throws -> URLComponents? {
        let domains = try await configurations.configuration(of: context.scope).policy.authorizedDomains
        return url.flatMap { send.continueURLs.webAddress($0, domains: domains) }
    }

    /// Whether a link leads to the page configured for the project's links, which is this server's or the project's own.
    package func isOwn(_ link: String, scope: Scope) async throws -> Bool {
        send.mail.links.isOwn(link, try await configurations.configuration(of: scope))
    }

    /// Sends a password reset link to a person whose address was restored. The result does not reveal whether an account exists.
    ///
    /// - Throws: `APIError` as ``SendOOBCode``, but for `EMAIL_NOT_FOUND`.
    package func sendPasswordReset(to email: String, continueURL: String?, context: CallContext) async throws {
        guard try await allowsPasswords(context: context) else { throw APIError(.passwordLoginDisabled) }
        var request = SendOOBCode.Request(type: .passwordReset)
        request.email = email
        request.continueURL = continueURL
        do {
            _ = try await send.send(request, context: context)
        } catch let error as APIError where error.code == .emailNotFound {
            return
        }
    }
}
