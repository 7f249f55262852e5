import Accounts
import Project

/// `token` of the Secure Token API: exchanges a refresh token (`Docs/Contract/client-accounts.md` §13).
struct SecureToken: Endpoint {
    static let summary = "Exchanges a refresh token."
    static let route = Route(host: .secureToken, access: .apiKeyOrBearer, path: "v1/token", bodyForm: .formOrJSON)

    let refresh: TokenRefresh
    let projectNumber: ProjectNumber

    struct Body: ProtoDecodable {
        let grantType: String?
        let refreshToken: String?

        init(_ body: ProtoObject) throws {
            grantType = try body.text("grantType")
            refreshToken = try body.text("refreshToken")
        }
    }

    /// The answer is in snake case, unlike every other answer.
    struct Answer: Codable {
        let access_token: String
        let expires_in: String
        var token_type = "Bearer"
        let refresh_token: String
        let id_token: String
        let user_id: String
        let project_id: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await refresh.refresh(grantType: body.grantType, refreshToken: body.refreshToken, context: context)
        let tokens = result.tokens
        return Answer(
            access_token: tokens.idToken,
            expires_in: tokens.expiresInText,
            refresh_token: tokens.refreshToken,
            id_token: tokens.idToken,
            user_id: result.localID,
            project_id: projectNumber.text(projectID: context.scope.projectID)
        )
    }
}
