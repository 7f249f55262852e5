import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import Synchronization

/// Authorize, token and revoke (RFC 6749, RFC 7636, RFC 7009).
extension FakeAuthorizationServer {
    func respond(to request: Request, _ provider: FakeIDP) async throws -> Response? {
        let segments = request.uri.path.split(separator: "/").map(String.init)
        guard let name = segments.first else { return nil }
        let path = segments.dropFirst().joined(separator: "/")
        switch path {
        case "oauth/authenticate", "oauth/request_token":
            return try await oauth1(path, request, provider)
        case "oauth/access_token" where request.headers[.authorization]?.hasPrefix("OAuth ") == true:
            return try await oauth1(path, request, provider)
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
            return Self.browser(redirectURI, mode, pairs, for: request)
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
        let refusal = [("state", query["state"] ?? "")] + further + [("error", "access_denied")]
        return Self.browser(redirectURI, mode, pairs, orCancel: refusal, for: request)
    }

    private func token(_ name: String, _ request: Request, _ provider: FakeIDP) async throws -> Response {
        let form = Self.members(String(buffer: try await request.body.collect(upTo: 1 << 16)))
        guard let clientID = authenticate(form, request, provider.issuer(name)) else { return refuse("invalid_client") }
        let grant: Grant
        switch form["grant_type"] {
        case "client_credentials":
            return Self.json(["access_token": .string("\(clientID)|app"), "token_type": "bearer"])
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
            guard found.redirectURI ?? "" == form["redirect_uri"] ?? "" else { return refuse("redirect_uri") }
            guard found.challenge == form["code_verifier"].map({ Base64URL.encode(sha256($0.utf8)) }) else {
                return refuse("code_verifier")
            }
            grant = found
        }
        guard grant.clientID == clientID, Self.house(of: grant.issuer) == Self.house(of: name) else {
            return refuse("client of the grant")
        }
        let refresh = refreshToken(issuer: name, clientID: clientID, claims: grant.claims)
        var answer: JSONValue = [
            "access_token": .string("access-\(refresh)"), "token_type": "bearer", "expires_in": 3599,
            "refresh_token": .string(refresh), "scope": "openid granted",
        ]
        // The other providers support OAuth only.
        if !["discord", "facebook", "github", "twitter"].contains(name) {
            answer["id_token"] = .string(try idToken(name, clientID, grant.claims, provider))
        }
        tell(provider, name, app: clientID, token: "access-\(refresh)", grant.claims)
        return Self.json(answer)
    }

    /// The provider of a name. Its dialog and its API have different names.
    static func house(of name: String) -> Substring { name.prefix { $0 != "-" } }

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
        let (now, signs) = state.withLock { ($0.now(), $0.signsTokens) }
        let all = provider.claims(
            issuer: name,
            audience: .string(clientID),
            subject: claims["sub"]?.string ?? "user-1",
            now: now,
            claims
        )
        return signs ? try provider.token(all) : HostileToken.unsigned(all)
    }
}
