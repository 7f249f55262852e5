package import Project

/// The client side of OAuth 1.0a (RFC 5849).
package struct OAuth1: Sendable {
    /// The keys that sign: ours, and from the second step on those of a token too.
    package struct Credentials: Sendable {
        package var consumerKey: String
        package var consumerSecret: String
        package var token: String?
        package var tokenSecret: String?

        package init(consumerKey: String, consumerSecret: String, token: String? = nil, tokenSecret: String? = nil) {
            self.consumerKey = consumerKey
            self.consumerSecret = consumerSecret
            self.token = token
            self.tokenSecret = tokenSecret
        }
    }

    /// The status of a refusal. Its text is left out.
    struct RequestError: Error, CustomStringConvertible {
        let status: Int
        var description: String { "refused: \(status)" }
    }

    private let environment: ServerEnvironment

    package init(environment: ServerEnvironment) { self.environment = environment }

    /// Asks for a request token (RFC 5849 §2.1).
    package func requestToken(
        callback: String,
        endpoint: String,
        _ credentials: Credentials
    ) async throws -> (token: String, secret: String) {
        let answer = try await post(endpoint, [("oauth_callback", callback)], credentials)
        guard answer["oauth_callback_confirmed"] == "true", let token = answer["oauth_token"],
            let secret = answer["oauth_token_secret"]
        else {
            throw ProviderError(.exchange, "The identity provider gave no confirmed request token.")
        }
        return (token, secret)
    }

    /// Exchanges an authorized request token (RFC 5849 §2.3).
    package func accessToken(verifier: String, endpoint: String, _ credentials: Credentials) async throws -> TokenAnswer {
        let answer = try await post(endpoint, [("oauth_verifier", verifier)], credentials)
        guard let token = answer["oauth_token"], let secret = answer["oauth_token_secret"] else {
            throw ProviderError(.exchange, "The identity provider refused the request token.")
        }
        var tokens = TokenAnswer()
        tokens.accessToken = token
        tokens.tokenSecret = secret
        return tokens
    }

    private func post(
        _ endpoint: String,
        _ protocolParameters: [(name: String, value: String)],
        _ credentials: Credentials
    ) async throws -> [String: String] {
        let signature = OAuth1Signature(
            consumerKey: credentials.consumerKey,
            consumerSecret: credentials.consumerSecret,
            token: credentials.token,
            tokenSecret: credentials.tokenSecret,
            nonce: environment.randomText(length: 32),
            timestamp: environment.now().seconds
        )
        let header = signature.authorizationHeader(method: "POST", url: endpoint, extra: protocolParameters)
        let response: OutboundHTTP.Response
        do {
            response = try await environment.http(
                .init(method: "POST", url: endpoint, headers: [("Authorization", header)]),
                limits: .init(maximumBodyBytes: 1 << 14)
            )
        } catch {
            throw ProviderError(.exchange, "The identity provider could not be reached.", cause: error)
        }
        guard TokenEndpoint.isSuccess(response.status) else {
            throw ProviderError(
                .exchange,
                "The identity provider refused the request.",
                cause: RequestError(status: response.status)
            )
        }
        let text = String(decoding: response.body, as: UTF8.self)
        var members: [String: String] = [:]
        for (name, value) in FormEncoding.pairs(text[...].utf8) where !value.isEmpty && !value.utf8.contains(0) {
            members[name] = value
        }
        return members
    }
}
