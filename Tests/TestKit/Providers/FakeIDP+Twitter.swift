import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Project

extension FakeIDP {
    /// Twitter's profile, for requests that are signed for the app and the user (RFC 5849 §3.2).
    func twitter(_ path: String, _ request: Request) -> Response? {
        if path == "2/users/me" { return twitterUser(request) }
        guard path == "1.1/account/verify_credentials.json" else { return nil }
        let denied = Response.json(["errors": [["code": 89, "message": "Invalid or expired token."]]], .unauthorized)
        guard let header = request.headers[.authorization], header.hasPrefix("OAuth ") else { return denied }
        var own: [String: String] = [:]
        for pair in header.dropFirst("OAuth ".count).split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return denied }
            own[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].trimmingCharacters(in: ["\""]).removingPercentEncoding
        }
        guard let app = own["oauth_consumer_key"], let secret = apps.secret(of: app, at: "twitter"),
            let grant = apps.grant(of: own["oauth_token"], at: "twitter"), grant.app == app,
            let tokenSecret = grant.tokenSecret, own["oauth_signature_method"] == "HMAC-SHA1",
            own["oauth_nonce"]?.isEmpty == false, Int(own["oauth_timestamp"] ?? "") != nil
        else { return denied }
        let signature = own.removeValue(forKey: "oauth_signature")
        let query = ["include_email", "skip_status", "include_entities"].map { ($0, request.query($0) ?? "") }
        let pairs = (query + own.map { ($0.key, $0.value) }).map { "\(Self.escaped($0.0))=\(Self.escaped($0.1))" }.sorted()
        let base = ["GET", issuer("twitter") + "/" + path, pairs.joined(separator: "&")].map(Self.escaped).joined(separator: "&")
        let key = SymmetricKey(data: Data("\(Self.escaped(secret))&\(Self.escaped(tokenSecret))".utf8))
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: Data(base.utf8), using: key)
        guard signature == Data(code).base64EncodedString() else { return denied }
        var profile = grant.profile
        if request.query("include_email") != "true" { profile["email"] = nil }
        return .json(profile)
    }

    // With OAuth 2.0: the token's own user, with the requested fields.
    private func twitterUser(_ request: Request) -> Response {
        guard let grant = apps.grant(of: request.bearer, at: "twitter") else {
            return .json(["title": "Unauthorized", "status": 401], .unauthorized)
        }
        let fields = (request.query("user.fields") ?? "").split(separator: ",").map(String.init) + ["id", "name", "username"]
        return .json(["data": .object((grant.profile.object ?? [:]).filter { fields.contains($0.key.text) })])
    }

    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
