import Foundation
package import Project

/// The answer of a provider's token endpoint (RFC 6749 §5.1).
package struct TokenAnswer: Sendable, Hashable {
    package var idToken: String?
    package var accessToken: String?
    package var refreshToken: String?
    /// The secret of OAuth 1.0a.
    package var tokenSecret: String?
    /// Lifetime of the access token in seconds.
    package var expiresIn: Int64?
    /// The scopes of the access token, if the provider names them.
    package var scope: String?

    package init() {}

    // Longer than the tokens of any provider. The limit keeps our answers small.
    private static let maximumTokenLength = 1 << 15

    init(_ document: JSONValue) {
        func token(_ name: String) -> String? {
            document[name]?.string.flatMap { text in
                !text.isEmpty && text.utf8.count <= Self.maximumTokenLength && !text.utf8.contains(0) ? text : nil
            }
        }
        idToken = token("id_token")
        accessToken = token("access_token")
        refreshToken = token("refresh_token")
        scope = token("scope")
        // Some providers write this number as a text.
        expiresIn = document["expires_in"].flatMap { $0.integer ?? $0.string.flatMap(Int64.init) }
    }
}

/// Calls token endpoints as a confidential client. Only the tokens in their answers are passed on.
package struct TokenEndpoint: Sendable {
    private let http: OutboundHTTP

    package init(http: OutboundHTTP) { self.http = http }

    /// Exchanges an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5).
    package func exchange(
        code: String,
        redirectURI: String?,
        verifier: String?,
        _ profile: AuthorizationProfile
    ) async throws -> TokenAnswer {
        guard let endpoint = profile.tokenEndpoint, let authentication = profile.authentication else {
            throw ProviderError(.exchange, "Authorization codes of the identity provider cannot be exchanged.")
        }
        var form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", profile.clientID),
        ]
        if let redirectURI { form.append(("redirect_uri", redirectURI)) }
        if let verifier { form.append(("code_verifier", verifier)) }
        let document = try await post(form, to: endpoint, clientID: profile.clientID, authentication)
        let answer = TokenAnswer(document)
        guard document["error"] == nil, answer.accessToken != nil || answer.idToken != nil else {
            throw ProviderError(.exchange, "The identity provider refused the authorization code.")
        }
        return answer
    }

    /// Posts a form as our client.
    ///
    /// - Returns: The JSON of a successful answer; an empty object if the answer is empty.
    func post(
        _ form: [(name: String, value: String)],
        to endpoint: String,
        clientID: String,
        _ authentication: AuthorizationProfile.ClientAuthentication
    ) async throws -> JSONValue {
        let response: OutboundHTTP.Response
        do {
            response = try await http(Self.request(form, to: endpoint, clientID: clientID, authentication))
        } catch {
            throw ProviderError(.exchange, "The identity provider could not be reached.", cause: error)
        }
        guard Self.isSuccess(response.status) else {
            throw ProviderError(
                .exchange,
                "The identity provider refused the request.",
                cause: RequestError(status: response.status)
            )
        }
        if response.body.isEmpty { return .object([:]) }
        guard let document = try? response.json(), document.object != nil else {
            throw ProviderError(.exchange, "The identity provider's token answer is no JSON object.")
        }
        return document
    }

    /// Whether a token endpoint has answered with tokens. RFC 6749 §5.1 knows 200 only; some providers "create" a token.
    static func isSuccess(_ status: Int) -> Bool { status == 200 || status == 201 }

    /// The request that posts a form as our client (RFC 6749 §2.3.1).
    static func request(
        _ form: [(name: String, value: String)],
        to endpoint: String,
        clientID: String,
        _ authentication: AuthorizationProfile.ClientAuthentication
    ) -> OutboundHTTP.Request {
        var form = form
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"), (name: "Accept", value: "application/json"),
        ]
        switch authentication {
        case .post(let secret): form.append(("client_secret", secret))
        case .basic(let secret):
            // RFC 6749 §2.3.1: id and secret are form-encoded before they are joined.
            let pair = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(secret))"
            headers.append(("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())"))
        }
        return OutboundHTTP.Request(
            method: "POST",
            url: endpoint,
            headers: headers,
            body: Array(PercentEncoding.form(form).utf8)
        )
    }

    /// The status of a refusal, for the log. The text of the refusal is left out.
    private struct RequestError: Error, CustomStringConvertible {
        let status: Int
        var description: String { "refused: \(status)" }
    }
}
