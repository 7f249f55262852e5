package import Project
import Synchronization

/// What a provider remembers: apps with their secrets, and the tokens that users gave them.
package final class FakeApps: Sendable {
    /// A token that a user gave to an app.
    package struct Grant: Sendable {
        /// The app's id.
        package var app: String
        package var token: String
        /// The secret of an OAuth 1.0a token.
        package var tokenSecret: String?
        /// What the provider's profile endpoint answers.
        package var profile: JSONValue
        /// What GitHub's endpoint of addresses answers; without it the token lacks the scope.
        package var emails: JSONValue?
        /// What replaces members of the answer about the token.
        package var check: JSONValue
        /// What an authorization code is exchanged for once.
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

    /// The secret of an app; `nil` for one that nobody registered.
    package func secret(of app: String, at provider: String) -> String? {
        state.withLock { $0.secrets["\(provider)/\(app)"] }
    }

    /// Lets an app in.
    package func grant(_ grant: Grant, at provider: String) {
        state.withLock { $0.grants[provider, default: []].append(grant) }
    }

    /// Takes a token back.
    package func revoke(_ token: String, at provider: String) {
        state.withLock { $0.grants[provider]?.removeAll { $0.token == token } }
    }

    /// The grant of a token.
    package func grant(of token: String?, at provider: String) -> Grant? {
        state.withLock { state in state.grants[provider]?.first { $0.token == token } }
    }

    /// The grant of a code, which is used up.
    func exchange(_ code: String?, at provider: String) -> Grant? {
        state.withLock { state in
            guard let code, let index = state.grants[provider]?.firstIndex(where: { $0.code == code }) else { return nil }
            let grant = state.grants[provider]?[index]
            state.grants[provider]?[index].code = nil
            return grant
        }
    }
}
