import Hummingbird
import Project

extension FakeIDP {
    /// LinkedIn: introspection for callers with the app's secret, and the user's profile.
    func linkedIn(_ path: String, _ request: Request) async throws -> Response? {
        guard path == "v2/introspectToken" else { return userInfo("linkedin", path, request) }
        let form = try await request.form()
        guard let app = form["client_id"], let secret = apps.secret(of: app, at: "linkedin"), form["client_secret"] == secret
        else { return .json(["error": "invalid_client"], .unauthorized) }
        guard let grant = apps.grant(of: form["token"], at: "linkedin") else { return .json(["active": false]) }
        let check: JSONValue = ["active": true, "client_id": .string(grant.app), "status": "active"]
        return .json(check.merging(grant.check))
    }
}
