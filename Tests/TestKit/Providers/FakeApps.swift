package import Project
import Synchronization

/// The state of a provider: apps with their secrets, and the tokens that users gave them.
package final class FakeApps: Sendable {
    /// A token that a user gave to an app.
    package struct Grant: Sendable {
        /// The app's id.
        package var app: String
        package var token: String
        /// The secret of an OAuth 1.0a token.
        package var tokenSecret: String?
        /// The answer of the provider's profile endpoint.
        package var profile: JSONValue
        /// The answer of GitHub's endpoint of addresses. Without it, the token lacks the scope.
        package var emails: JSONValue?
        /// Members that replace those of the answer about the token.
        package var check: JSONValue
        /// The authorization code that is exchanged for the token, once.
        package var code: String?

        package init(
            app: String,
            token: String,
            tokenSecret: String? = nil,
            profile: JSONValue,
            emails: JSONValue? = nil,
            check: JSONValue = [:],
            code: String? = nil
        ) {
            self.app = app
            self.token = token
            self.tokenSecret = tokenSecret
            self.profile = profile
            self.emails = emails
            self.check = check
            self.code = code
        }
    }

    private struct State {
        var secrets: [String: String] = [:]
        var grants: [String: [Grant]] = [:]
    }

    private let state = Mutex(State())

    /// Registers an app with a provider.
    package func register(_ app: String, secret: String, at provider: String) {
        state.withLock { $0.secrets["\(provider)/\(app)"] = secret }
    }

    /// The secret of an app; `nil` when the app is not registered.
    package func secret(of app: String, at provider: String) -> String? {
        state.withLock { $0.secrets["\(provider)/\(app)"] }
    }

    /// Adds a grant.
    package func grant(_ grant: Grant, at provider: String) {
        state.withLock { $0.grants[provider, default: []].append(grant) }
    }

    /// Revokes a token.
    package func revoke(_ token: String, at provider: String) {
        state.withLock { $0.grants[provider]?.removeAll { $0.token == token } }
    }

    /// The grant of a token.
    package func grant(of token: String?, at provider: String) -> Grant? {
        state.withLock { state in state.grants[provider]?.first { $0.token == token } }
    }

    /// The grant of a code. The code is used up.
    func exchange(_ code: String?, at provider: String) -> Grant? {
        state.withLock { state in
            guard let code, let index = state.grants[provider]?.firstIndex(where: { $0.code == code }) else { return nil }
            let grant = state.grants[provider]?[index]
            state.grants[provider]?[index].code = nil
            return grant
        }
    }
}
