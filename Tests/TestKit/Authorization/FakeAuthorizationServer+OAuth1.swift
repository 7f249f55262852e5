import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import Synchronization

extension FakeAuthorizationServer {
    /// OAuth 1.0a (RFC 5849). Signatures are computed independently of Postern's code.
    func oauth1(_ path: String, _ request: Request, _ provider: FakeIDP) async throws -> Response {
        let issuer = provider.issuer("twitter")
        if path == "oauth/authenticate" { return authenticate(request) }
        let header = Self.protocolParameters(request.headers[.authorization] ?? "")
        guard let key = header["oauth_consumer_key"], case .post(let secret) = state.withLock({ $0.clients[key] }) else {
            return refuse("consumer")
        }
        let token = header["oauth_token"].flatMap { name in state.withLock { $0.requestTokens[name] } }
        let expected = Self.signature(issuer + "/" + path, header, secret, token?.secret ?? "")
        guard header["oauth_signature"] == expected, header["oauth_signature_method"] == "HMAC-SHA1" else {
            return refuse("signature")
        }
        if path == "oauth/request_token" {
            guard let callback = header["oauth_callback"] else { return refuse("callback") }
            let number = state.withLock { state in
                state.number += 1
                let token = RequestToken(secret: "request-secret-\(state.number)", consumerKey: key, callback: callback)
                state.requestTokens["request-\(state.number)"] = token
                return state.number
            }
            return Self.text(
                "oauth_token=request-\(number)&oauth_token_secret=request-secret-\(number)&oauth_callback_confirmed=true"
            )
        }
        guard let name = header["oauth_token"], let token, !token.isUsed, let verifier = token.verifier,
            header["oauth_verifier"] == verifier
        else { return refuse("verifier") }
        state.withLock { $0.requestTokens[name]?.isUsed = true }
        let user = state.withLock { $0.user }
        tell(provider, "twitter", app: key, token: "access-\(name)", tokenSecret: "access-secret", user)
        return Self.text("oauth_token=access-\(name)&oauth_token_secret=access-secret&user_id=42&screen_name=ada")
    }

    private func authenticate(_ request: Request) -> Response {
        let name = Self.members(request.uri.query ?? "")["oauth_token"] ?? ""
        let (token, error) = state.withLock { state in
            state.requestTokens[name]?.verifier = "verifier-of-\(name)"
            return (state.requestTokens[name], state.error)
        }
        guard let token else { return refuse("request token") }
        let refusal = [("denied", name)]
        if error != nil { return Self.browser(token.callback, "query", refusal) }
        let consent = [("oauth_token", name), ("oauth_verifier", "verifier-of-\(name)")]
        return Self.browser(token.callback, "query", consent, orCancel: refusal, for: request)
    }

    private static func protocolParameters(_ header: String) -> [String: String] {
        var members: [String: String] = [:]
        for pair in header.dropFirst("OAuth ".count).split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].trimmingCharacters(in: ["\""])
            members[parts[0].trimmingCharacters(in: .whitespaces)] = value.removingPercentEncoding
        }
        return members
    }

    private static func signature(_ url: String, _ header: [String: String], _ secret: String, _ token: String) -> String {
        let signed = header.filter { $0.key != "oauth_signature" && $0.key != "realm" }
        let pairs = signed.map { TestClient.encode([($0.key, $0.value)]) }.sorted().joined(separator: "&")
        func encode(_ text: String) -> String { String(TestClient.encode([("", text)]).dropFirst()) }
        let base = "POST&\(encode(url))&\(encode(pairs))"
        let key = SymmetricKey(data: Data("\(encode(secret))&\(encode(token))".utf8))
        return Data(HMAC<Insecure.SHA1>.authenticationCode(for: Data(base.utf8), using: key)).base64EncodedString()
    }

    private static func text(_ form: String) -> Response {
        Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: form)))
    }
}
