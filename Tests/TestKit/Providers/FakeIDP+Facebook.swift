import Crypto
import Foundation
import Hummingbird
import Project

extension FakeIDP {
    /// The Graph API: `debug_token` for callers with the app's token, `me` with a proof of the app's secret.
    func facebook(_ path: String, _ request: Request) -> Response? {
        switch path {
        case "debug_token":
            let parts = (request.query("access_token") ?? "").split(separator: "|").map(String.init)
            guard parts.count == 2, apps.secret(of: parts[0], at: "facebook") == parts[1] else { return Self.graphError }
            guard let grant = apps.grant(of: request.query("input_token"), at: "facebook") else {
                return .json(["data": ["is_valid": false, "error": ["code": 190]]])
            }
            let data: JSONValue = [
                "app_id": .string(grant.app), "type": "USER", "is_valid": true, "user_id": grant.profile["id"] ?? .null,
            ]
            return .json(["data": data.merging(grant.check)])
        case "me":
            guard let token = request.query("access_token"), let grant = apps.grant(of: token, at: "facebook"),
                let secret = apps.secret(of: grant.app, at: "facebook"), request.query("fields")?.contains("email") == true
            else { return Self.graphError }
            let code = HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: SymmetricKey(data: Data(secret.utf8)))
            guard request.query("appsecret_proof") == hexadecimal(Array(code)) else { return Self.graphError }
            return .json(grant.profile)
        default: return nil
        }
    }

    private static let graphError = Response.json(["error": ["type": "OAuthException", "code": 190]], .badRequest)
}
