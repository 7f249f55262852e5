import Accounts
import Federation
import Project

/// `accounts:revokeToken`: revokes a token of Sign in with Apple (`Docs/Contract/client-accounts.md` §14).
struct RevokeToken: Endpoint {
    static let summary = "Ends a token that Sign in with Apple gave."
    static let route = Route(access: .apiKeyOrAdmin(.changeUsers), path: "v2/accounts:revokeToken")

    let revocation: AppleTokenRevocation

    struct Body: ProtoDecodable {
        let providerID: String?
        let kind: AppleTokens.Kind?
        let token: String?
        let idToken: String?
        let redirectURI: String?

        // The values of the enum, in index order; iOS sends "3".
        private static let kinds = ["TOKEN_TYPE_UNSPECIFIED", "REFRESH_TOKEN", "ACCESS_TOKEN", "CODE"]

        init(_ body: ProtoObject) throws {
            providerID = try body.text("providerId")?.lowercased()
            kind = try body.enumeration("tokenType", of: Self.kinds).flatMap(AppleTokens.Kind.init(rawValue:))
            token = try body.text("token")
            idToken = try body.text("idToken")
            redirectURI = try body.text("redirectUri")
        }
    }

    struct Answer: Codable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        guard body.providerID == AppleProvider.providerID else { throw APIError(.invalidProviderID) }
        guard let kind = body.kind else { throw TransportError.wrongShape("/tokenType", "must be a type of token") }
        guard let token = body.token else { throw TransportError.wrongShape("/token", "must not be empty") }
        let idToken = try require(body.idToken, .missingIDToken)
        if kind == .code, let redirectURI = body.redirectURI, !redirectURI.lowercased().hasPrefix("https://") {
            throw TransportError.wrongShape("/redirectUri", "must be an https URL")
        }
        try await revocation.revoke(token, kind, redirectURI: body.redirectURI, idToken: idToken, context: context)
        return Answer()
    }
}
