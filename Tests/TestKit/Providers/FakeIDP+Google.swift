import Hummingbird
import Project

extension FakeIDP {
    /// Google: information about access tokens, their users, and the exchange of server auth codes.
    func google(_ path: String, _ request: Request) async throws -> Response? {
        switch path {
        case "tokeninfo":
            guard let grant = apps.grant(of: request.query("access_token"), at: "google") else {
                return .json(["error": "invalid_token"], .badRequest)
            }
            let check: JSONValue = [
                "aud": .string(grant.app), "azp": .string(grant.app), "sub": grant.profile["sub"] ?? .null,
                "scope": "openid email", "expires_in": "3599",
            ]
            return .json(check.merging(grant.check))
        case "token":
            let form = try await request.form()
            guard form["grant_type"] == "authorization_code", let app = form["client_id"],
                let secret = apps.secret(of: app, at: "playgames")
            else { return nil }
            guard form["client_secret"] == secret, form["redirect_uri"] == "",
                let grant = apps.exchange(form["code"], at: "playgames"), grant.app == app
            else { return .json(["error": "invalid_grant"], .badRequest) }
            return .json(["access_token": .string(grant.token), "expires_in": 3599, "token_type": "Bearer"])
        default: return userInfo("google", path, request)
        }
    }

    func playGames(_ path: String, _ request: Request) -> Response? {
        guard path == "games/v1/players/me" else { return nil }
        guard let grant = apps.grant(of: request.bearer, at: "playgames") else { return .json([:], .unauthorized) }
        return .json(grant.profile)
    }
}
