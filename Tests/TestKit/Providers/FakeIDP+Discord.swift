import Hummingbird
import Project

extension FakeIDP {
    /// Discord: which app a token is of, and its user's profile.
    func discord(_ path: String, _ request: Request) -> Response? {
        guard ["api/v10/oauth2/@me", "api/v10/users/@me"].contains(path) else { return nil }
        guard let grant = apps.grant(of: request.bearer, at: "discord") else {
            return .json(["message": "401: Unauthorized", "code": 0], .unauthorized)
        }
        if path.hasSuffix("users/@me") { return .json(grant.profile) }
        let answer: JSONValue = [
            "application": ["id": .string(grant.app), "name": "App"], "scopes": ["identify", "email"],
            "user": ["id": grant.profile["id"] ?? .null],
        ]
        return .json(answer.merging(grant.check))
    }
}
