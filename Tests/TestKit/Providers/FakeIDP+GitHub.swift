import HTTPTypes
import Hummingbird
import Project

extension FakeIDP {
    /// GitHub's API: checks of an app's own tokens, profile and addresses.
    func gitHub(_ path: String, _ request: Request) async throws -> Response? {
        guard request.headers[.userAgent] != nil else { return .json([:], .forbidden) }
        let segments = path.split(separator: "/").map(String.init)
        if segments.count == 3, segments[0] == "applications", segments[2] == "token", request.method == .post {
            guard let app = request.basic, app.user == segments[1], apps.secret(of: app.user, at: "github") == app.password
            else { return .json(["message": "Bad credentials"], .unauthorized) }
            let body = try JSONValue.parse(try await request.body.collect(upTo: 1 << 16).readableBytesView)
            guard let grant = apps.grant(of: body["access_token"]?.string, at: "github"), grant.app == app.user else {
                return .json(["message": "Not Found"], .notFound)
            }
            let check: JSONValue = [
                "app": ["client_id": .string(grant.app)], "user": ["id": grant.profile["id"] ?? .null],
                "token": .string(grant.token),
            ]
            return .json(check.merging(grant.check))
        }
        guard path == "user" || path == "user/emails" else { return nil }
        guard let grant = apps.grant(of: request.bearer, at: "github") else { return .json([:], .unauthorized) }
        if path == "user" { return .json(grant.profile) }
        return grant.emails.map { .json($0) } ?? .json(["message": "Not Found"], .notFound)
    }
}
