import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project

extension FakeIDP {
    /// The answer of a provider's own API; `nil` when the common endpoints of all issuers must answer.
    func respond(as name: String, _ path: String, _ request: Request) async throws -> Response? {
        switch name {
        case "discord": discord(path, request)
        case "facebook": facebook(path, request)
        case "github-api": try await gitHub(path, request)
        case "google": try await google(path, request)
        case "linkedin": try await linkedIn(path, request)
        case "graph": path == "oidc/userinfo" ? userInfo("graph", "userinfo", request) : nil
        case "microsoft": microsoft(path)
        case "playgames": playGames(path, request)
        case "twitter": twitter(path, request)
        case "yahoo", "code": userInfo(name, path, request)
        case "gamecenter": gameCenter(path)
        default: nil
        }
    }

    /// OpenID Connect Core 1.0 §5.3.
    func userInfo(_ provider: String, _ path: String, _ request: Request) -> Response? {
        guard path == "userinfo" else { return nil }
        guard let grant = apps.grant(of: request.bearer, at: provider) else {
            return .json(["error": "invalid_token"], .unauthorized)
        }
        return .json(grant.profile)
    }
}

extension Response {
    static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: document.serialized()))
        )
    }
}

extension Request {
    func query(_ name: String) -> String? { uri.queryParameters[name[...]].map { $0.removingPercentEncoding ?? String($0) } }

    /// The bearer token (RFC 6750 §2.1).
    var bearer: String? {
        guard let value = headers[.authorization], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    /// User and password (RFC 7617).
    var basic: (user: String, password: String)? {
        guard let value = headers[.authorization], value.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(value.dropFirst("Basic ".count)))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    func form() async throws -> [String: String] {
        let text = String(buffer: try await body.collect(upTo: 1 << 16))
        return Dictionary(FormEncoding.pairs(text[...].utf8).map { ($0.name, $0.value) }) { $1 }
    }
}
