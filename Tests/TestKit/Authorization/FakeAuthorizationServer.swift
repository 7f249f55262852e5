package import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import Project
import Synchronization

/// The authorization side of ``FakeIDP``: authorize, token, revoke and OAuth 1.0a endpoints with the checks of real ones.
///
/// The authorize endpoint does not redirect the browser. It answers with the redirect as JSON.
package final class FakeAuthorizationServer: Sendable {
    /// How a client authenticates.
    package enum ClientSecret: Sendable {
        case basic(String)
        case post(String)
        /// Apple's signed client secrets.
        case signed(P256.Signing.PublicKey, teamID: String, keyID: String)
    }

    /// The answer that the browser carries back.
    package struct Answer: Sendable {
        package let redirectURI: String
        package let mode: String
        /// Form pairs.
        package let form: String

        /// The URL that the app sees. It does not contain a posted answer.
        package var requestURI: String {
            switch mode {
            case "form_post": redirectURI
            case "fragment": "\(redirectURI)#\(form)"
            default: redirectURI + (redirectURI.contains("?") ? "&" : "?") + form
            }
        }

        /// The posted answer.
        package var postBody: String? { mode == "form_post" ? form : nil }
    }

    struct Grant {
        let issuer: String
        let clientID: String
        let redirectURI: String?
        let challenge: String?
        let claims: JSONValue
        var isUsed = false
    }

    struct RequestToken {
        let secret: String
        let consumerKey: String
        let callback: String
        var verifier: String?
        var isUsed = false
    }

    struct State {
        var clients: [String: ClientSecret] = [:]
        var user: JSONValue = ["sub": "user-1"]
        var profile: JSONValue?
        var now: @Sendable () -> Timestamp = { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var requestTokens: [String: RequestToken] = [:]
        var revoked: [String] = []
        var refusals: [String] = []
        var answerParameters: [(String, String)] = []
        var tokenClaims: JSONValue = [:]
        var signsTokens = true
        var error: String?
        var number = 0
    }

    let state = Mutex(State())

    package init() {}

    /// Registers a client.
    package func register(_ clientID: String, _ secret: ClientSecret) { state.withLock { $0.clients[clientID] = secret } }

    /// Sets the next user: the claims of the ID tokens.
    package func setUser(_ claims: JSONValue) { state.withLock { $0.user = claims } }

    /// Sets the profile of the next user for the profile endpoints; by default it is that of the ID token.
    package func setProfile(_ profile: JSONValue?) { state.withLock { $0.profile = profile } }

    /// Sets the clock for tokens.
    package func setClock(_ now: @escaping @Sendable () -> Timestamp) { state.withLock { $0.now = now } }

    /// Parameters that are added to every answer, such as `iss`.
    package func setAnswerParameters(_ pairs: [(String, String)]) { state.withLock { $0.answerParameters = pairs } }

    /// Claims that replace those of the tokens. Null removes a claim.
    package func setTokenClaims(_ claims: JSONValue) { state.withLock { $0.tokenClaims = claims } }

    /// Decides whether ID tokens are signed, or say `alg: none`.
    package func setSignsTokens(_ signs: Bool) { state.withLock { $0.signsTokens = signs } }

    /// Makes the user or the provider refuse with an error.
    package func setError(_ error: String?) { state.withLock { $0.error = error } }

    /// Revoked tokens, in order.
    package var revoked: [String] { state.withLock { $0.revoked } }

    /// The reasons of refused requests, in order.
    package var refusals: [String] { state.withLock { $0.refusals } }

    /// A code as a native app gets it, without a redirect URI.
    package func nativeCode(issuer: String, clientID: String, claims: JSONValue) -> String {
        let grant = Grant(issuer: issuer, clientID: clientID, redirectURI: nil, challenge: nil, claims: claims)
        return store(grant)
    }

    /// A refresh token of a user.
    package func refreshToken(issuer: String, clientID: String, claims: JSONValue) -> String {
        let grant = Grant(issuer: issuer, clientID: clientID, redirectURI: nil, challenge: nil, claims: claims)
        return state.withLock { state in
            state.number += 1
            state.refreshTokens["refresh-\(state.number)"] = grant
            return "refresh-\(state.number)"
        }
    }

    /// Visits the authorize endpoint as a browser does and returns the answer.
    package static func visit(_ authURI: String) async throws -> Answer {
        let answer = try await TestClient("").get(authURI)
        guard answer.status == 200, let form = answer["form"]?.string, let redirect = answer["redirect_uri"]?.string,
            let mode = answer["mode"]?.string
        else { throw Unexpected(status: answer.status, text: String(decoding: answer.bytes, as: UTF8.self)) }
        return Answer(redirectURI: redirect, mode: mode, form: form)
    }

    /// The authorize endpoint refused.
    package struct Unexpected: Error {
        package let status: Int
        package let text: String
    }

    /// Registers a token at a provider's own API, as given by its user to an app.
    func tell(_ provider: FakeIDP, _ issuer: String, app: String, token: String, tokenSecret: String? = nil, _ user: JSONValue) {
        let profile = state.withLock { $0.profile } ?? user
        let grant = FakeApps.Grant(app: app, token: token, tokenSecret: tokenSecret, profile: profile)
        provider.apps.grant(grant, at: String(Self.house(of: issuer)))
    }

    func store(_ grant: Grant) -> String {
        state.withLock { state in
            state.number += 1
            state.codes["code-\(state.number)"] = grant
            return "code-\(state.number)"
        }
    }

    func refuse(_ reason: String) -> Response {
        state.withLock { $0.refusals.append(reason) }
        let error = reason == "invalid_client" ? reason : "invalid_grant"
        let text = #"{"error": "\#(error)", "error_description": "provider-secret-text"}"#
        return Response(
            status: error == reason ? .unauthorized : .badRequest,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }

    static func browser(
        _ redirectURI: String,
        _ mode: String,
        _ pairs: [(String, String)],
        orCancel refusal: [(String, String)] = [],
        for request: Request? = nil
    ) -> Response {
        let form = TestClient.encode(pairs)
        if request?.headers[.accept]?.contains("text/html") == true {
            let choices = [("sign-in", "Sign in", pairs), ("cancel", "Cancel", refusal)].filter { !$0.2.isEmpty }
            return loginPage(
                choices.map {
                    choice(id: $0.0, $0.1, Answer(redirectURI: redirectURI, mode: mode, form: TestClient.encode($0.2)), $0.2)
                }
            )
        }
        return json(["redirect_uri": .string(redirectURI), "mode": .string(mode), "form": .string(form)])
    }

    // A page with a button for each choice, such as signing in and refusing.
    private static func loginPage(_ choices: [String]) -> Response {
        let page = """
            <!DOCTYPE html><html lang="en"><title>Log in</title><meta name="viewport" content="width=device-width">
            <h1>Log in</h1>\(choices.joined())
            """
        return Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: page))
        )
    }

    private static func choice(id: String, _ label: String, _ answer: Answer, _ pairs: [(String, String)]) -> String {
        func attribute(_ text: String) -> String { text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;") }
        guard answer.postBody != nil else {
            return "<p><a id=\"\(id)\" href=\"\(attribute(answer.requestURI))\">\(label)</a></p>"
        }
        let fields = pairs.map { "<input type=hidden name=\"\($0.0)\" value=\"\(attribute($0.1))\">" }.joined()
        return
            "<form method=post action=\"\(attribute(answer.redirectURI))\">\(fields)<button id=\"\(id)\">\(label)</button></form>"
    }

    static func json(_ document: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: document.serialized()))
        )
    }

    static func members(_ form: String) -> [String: String] {
        Dictionary(FormEncoding.pairs(form[...].utf8).map { ($0.name, $0.value) }) { first, _ in first }
    }

    static func document(_ segment: String) -> JSONValue? {
        Base64URL.decode(segment.utf8).flatMap { try? JSONValue.parse($0) }
    }
}
