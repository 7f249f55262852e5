package import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import Project
import Synchronization

/// The authorization side of ``FakeIDP``: authorize, token, revoke and OAuth 1.0a endpoints that check what real ones check.
///
/// Instead of sending a browser on, the authorize endpoint answers with what the browser would carry.
package final class FakeAuthorizationServer: Sendable {
    /// How a client proves itself.
    package enum ClientSecret: Sendable {
        case basic(String)
        case post(String)
        /// Apple's way.
        case signed(P256.Signing.PublicKey, teamID: String, keyID: String)
    }

    /// What the browser carries back.
    package struct Answer: Sendable {
        package let redirectURI: String
        package let mode: String
        /// Form pairs.
        package let form: String

        /// The URL that the app sees; a posted answer is not in it.
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
        var now: @Sendable () -> Timestamp = { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var requestTokens: [String: RequestToken] = [:]
        var revoked: [String] = []
        var refusals: [String] = []
        var answerParameters: [(String, String)] = []
        var tokenClaims: JSONValue = [:]
        var error: String?
        var number = 0
    }

    let state = Mutex(State())

    package init() {}

    /// Makes a client known.
    package func register(_ clientID: String, _ secret: ClientSecret) { state.withLock { $0.clients[clientID] = secret } }

    /// Whoever signs in next: claims of their ID tokens.
    package func setUser(_ claims: JSONValue) { state.withLock { $0.user = claims } }

    /// The clock of its tokens.
    package func setClock(_ now: @escaping @Sendable () -> Timestamp) { state.withLock { $0.now = now } }

    /// Parameters that go with every answer, such as `iss`.
    package func setAnswerParameters(_ pairs: [(String, String)]) { state.withLock { $0.answerParameters = pairs } }

    /// Claims that replace those of the tokens; null removes one.
    package func setTokenClaims(_ claims: JSONValue) { state.withLock { $0.tokenClaims = claims } }

    /// The user, or the provider, refuses.
    package func setError(_ error: String?) { state.withLock { $0.error = error } }

    /// Revoked tokens, in order.
    package var revoked: [String] { state.withLock { $0.revoked } }

    /// Why requests were refused, in order.
    package var refusals: [String] { state.withLock { $0.refusals } }

    /// A code as a native app gets it, without a redirect.
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

    /// Sends a browser to a provider and back.
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

    // MARK: Serving

    func respond(_ name: String, _ path: String, _ request: Request, _ provider: FakeIDP) async throws -> Response? {
        switch path {
        case "oauth/authenticate", "oauth/request_token":
            return try await oauth1(path, request, provider.issuer(name))
        case "oauth/access_token" where request.headers[.authorization]?.hasPrefix("OAuth ") == true:
            return try await oauth1(path, request, provider.issuer(name))
        default: break
        }
        if path == "auth/revoke" { return try await revoke(request, provider.issuer(name)) }
        if request.method == .get,
            path.hasSuffix("authorize") || path.hasSuffix("dialog/oauth") || path.hasSuffix("authorization")
        {
            return try authorize(name, request, provider)
        }
        if request.method == .post, path.hasSuffix("token") { return try await token(name, request, provider) }
        return nil
    }

    private func authorize(_ name: String, _ request: Request, _ provider: FakeIDP) throws -> Response {
        let query = Self.members(request.uri.query ?? "")
        guard let clientID = query["client_id"], state.withLock({ $0.clients[clientID] }) != nil else {
            return refuse("client")
        }
        guard let redirectURI = query["redirect_uri"], let type = query["response_type"] else { return refuse("request") }
        if let method = query["code_challenge_method"], method != "S256" { return refuse("challenge method") }
        let (user, overrides, further, error) = state.withLock {
            ($0.user, $0.tokenClaims, $0.answerParameters, $0.error)
        }
        var pairs = [("state", query["state"] ?? "")] + further
        let mode = query["response_mode"] ?? (type == "code" ? "query" : "fragment")
        if let error {
            pairs += [("error", error), ("error_description", "secret <b>text</b>")]
            return Self.browser(redirectURI, mode, pairs)
        }
        var claims = user
        if let nonce = query["nonce"] { claims["nonce"] = .string(nonce) }
        claims = claims.merging(overrides)
        if type.contains("code") {
            let grant = Grant(
                issuer: name,
                clientID: clientID,
                redirectURI: redirectURI,
                challenge: query["code_challenge"],
                claims: claims
            )
            pairs.append(("code", store(grant)))
        }
        if type.contains("id_token") { pairs.append(("id_token", try idToken(name, clientID, claims, provider))) }
        return Self.browser(redirectURI, mode, pairs)
    }

    private func token(_ name: String, _ request: Request, _ provider: FakeIDP) async throws -> Response {
        let form = Self.members(String(buffer: try await request.body.collect(upTo: 1 << 16)))
        guard let clientID = authenticate(form, request, provider.issuer(name)) else { return refuse("invalid_client") }
        let grant: Grant
        switch form["grant_type"] {
        case "refresh_token":
            guard let known = state.withLock({ $0.refreshTokens[form["refresh_token"] ?? ""] }) else {
                return refuse("invalid_grant")
            }
            grant = known
        default:
            let code = form["code"] ?? ""
            let found = state.withLock { state in
                let grant = state.codes[code]
                if grant?.clientID == clientID { state.codes[code]?.isUsed = true }
                return grant
            }
            guard let found, !found.isUsed else { return refuse("code") }
            guard found.redirectURI == form["redirect_uri"] else { return refuse("redirect_uri") }
            guard found.challenge == form["code_verifier"].map({ Base64URL.encode(sha256($0.utf8)) }) else {
                return refuse("code_verifier")
            }
            grant = found
        }
        guard grant.clientID == clientID, grant.issuer == name else { return refuse("client of the grant") }
        let refresh = refreshToken(issuer: name, clientID: clientID, claims: grant.claims)
        var answer: JSONValue = [
            "access_token": .string("access-\(refresh)"), "token_type": "bearer", "expires_in": 3599,
            "refresh_token": .string(refresh),
        ]
        answer["id_token"] = .string(try idToken(name, clientID, grant.claims, provider))
        return Self.json(answer)
    }

    private func revoke(_ request: Request, _ issuer: String) async throws -> Response {
        let form = Self.members(String(buffer: try await request.body.collect(upTo: 1 << 16)))
        guard authenticate(form, request, issuer) != nil else { return refuse("invalid_client") }
        state.withLock { $0.revoked.append("\(form["token_type_hint"] ?? ""):\(form["token"] ?? "")") }
        return Response(status: .ok)
    }

    private func authenticate(_ form: [String: String], _ request: Request, _ issuer: String) -> String? {
        guard let clientID = form["client_id"] else { return nil }
        let header = request.headers[.authorization]
        switch state.withLock({ $0.clients[clientID] }) {
        case .basic(let secret):
            let expected = Data("\(clientID):\(secret)".utf8).base64EncodedString()
            return header == "Basic \(expected)" && form["client_secret"] == nil ? clientID : nil
        case .post(let secret): return header == nil && form["client_secret"] == secret ? clientID : nil
        case .signed(let key, let teamID, let keyID):
            let parts = (form["client_secret"] ?? "").split(separator: ".").map(String.init)
            guard parts.count == 3, let header = Self.document(parts[0]), let claims = Self.document(parts[1]),
                let raw = Base64URL.decode(parts[2].utf8),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
            else { return nil }
            let now = state.withLock { $0.now() }.seconds
            let isGood =
                header["alg"] == "ES256" && header["kid"]?.string == keyID && claims["iss"]?.string == teamID
                && claims["sub"]?.string == clientID && claims["aud"]?.string == issuer
                && (claims["exp"]?.integer ?? 0) > now && (claims["exp"]?.integer ?? 0) <= now + 15_777_000
            return isGood ? clientID : nil
        case nil: return nil
        }
    }

    private func idToken(_ name: String, _ clientID: String, _ claims: JSONValue, _ provider: FakeIDP) throws -> String {
        let now = state.withLock { $0.now() }
        let all = provider.claims(
            issuer: name,
            audience: .string(clientID),
            subject: claims["sub"]?.string ?? "user-1",
            now: now,
            claims
        )
        return try provider.token(all)
    }

    private func store(_ grant: Grant) -> String {
        state.withLock { state in
            state.number += 1
            state.codes["code-\(state.number)"] = grant
            return "code-\(state.number)"
        }
    }

    func refuse(_ reason: String) -> Response {
        state.withLock { $0.refusals.append(reason) }
        let text = #"{"error": "invalid_grant", "error_description": "provider-secret-text"}"#
        return Response(
            status: .badRequest,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }

    static func browser(_ redirectURI: String, _ mode: String, _ pairs: [(String, String)]) -> Response {
        let form = TestClient.encode(pairs)
        return json(["redirect_uri": .string(redirectURI), "mode": .string(mode), "form": .string(form)])
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

    private static func document(_ segment: String) -> JSONValue? {
        Base64URL.decode(segment.utf8).flatMap { try? JSONValue.parse($0) }
    }
}
