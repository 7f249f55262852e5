import Accounts
import HTTPTypes
import Hummingbird
import Project
import Tokens

/// `POST /oauth2/token`, where service accounts exchange assertions for access tokens (RFC 7523 §2.1). Key files name it as
/// `token_uri`. Libraries that ask Google all the same are answered on the paths of Google's endpoints.
struct OAuth2Token {
    let grant: ServiceAccountGrant
    let errors: ErrorRendering
    let publicURL: @Sendable () -> String

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let maximumBodyBytes = 32 * 1024
    private static let noStore: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]

    /// The answer of RFC 6749 §5.1.
    private struct Answer: Codable {
        let access_token: String
        var token_type = "Bearer"
        var expires_in = ServiceAccountAccessTokens.lifetimeSeconds
    }

    /// The error answer of RFC 6749 §5.2.
    private struct ErrorAnswer: Codable {
        let error: String
        let error_description: String
    }

    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "OAuth2Token",
            summary: "Exchanges an assertion of a service account for an access token.",
            request: [.form(Schema(.object(naming: ["assertion", "grant_type"].map { ($0, Shape.member($0)) })))],
            answers: [
                200: .json(Schema(name: "OAuth2TokenResponse", answer: Answer.self)),
                400: .json(Schema(name: "OAuth2TokenError", answer: ErrorAnswer.self)),
            ]
        )
        for path in Self.paths { table.add(.post, path, operation, answer) }
    }

    // Each of Google's endpoints as that host is asked for it, and with the host before the path.
    private static var paths: [String] {
        let google = ServiceAccountAssertion.googleEndpoints.flatMap { endpoint in
            ["/" + endpoint, String(endpoint[(endpoint.firstIndex(of: "/") ?? endpoint.startIndex)...])]
        }
        return [ServiceAccountRegistry.tokenPath] + google
    }

    private func answer(_ request: Request, _ context: PosternContext) async throws -> Response {
        do {
            let token = try await exchange(request, context)
            return try JSONAnswer.response(Answer(access_token: token), headers: Self.noStore)
        } catch let refused as ServiceAccountGrant.GrantError {
            errors.note(code: refused.code, context)
            let body = ErrorAnswer(error: refused.code, error_description: refused.reason)
            return try JSONAnswer.response(body, status: .badRequest, headers: Self.noStore)
        } catch let error as APIError where error.code == .tooManyAttemptsTryLater {
            errors.note(error, context)
            var headers = Self.noStore
            headers[.retryAfter] = error.retryAfterSeconds.map(String.init)
            let body = ErrorAnswer(error: "temporarily_unavailable", error_description: error.message)
            return try JSONAnswer.response(body, status: .tooManyRequests, headers: headers)
        }
    }

    private func exchange(_ request: Request, _ context: PosternContext) async throws -> String {
        let form = try await RequestBody.form(request, limit: Self.maximumBodyBytes, context)
        guard let type = form["grant_type"]?.string, !type.isEmpty else {
            throw ServiceAccountGrant.GrantError("invalid_request", "The parameter grant_type is missing.")
        }
        guard type == Self.grantType else {
            throw ServiceAccountGrant.GrantError("unsupported_grant_type", "The grant_type must be \(Self.grantType).")
        }
        guard let assertion = form["assertion"]?.string, !assertion.isEmpty else {
            throw ServiceAccountGrant.GrantError("invalid_request", "The parameter assertion is missing.")
        }
        return try await grant.exchange(
            assertion,
            tokenURL: publicURL() + ServiceAccountRegistry.tokenPath,
            address: context.facts.address
        )
    }
}
