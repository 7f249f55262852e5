import Accounts
import Foundation
import HTTPTypes
import Project

/// `accounts:createAuthUri`: the ways in that an address has (`contract/client-accounts.md` §7).
struct CreateAuthUri: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        path: "v1/accounts:createAuthUri",
        legacyName: "createAuthUri"
    )

    let methods: SignInMethods

    struct Body: ProtoDecodable {
        let identifier: String?
        let continueURI: String?
        let providerID: String?
        let sessionID: String?

        init(_ body: ProtoObject) throws {
            identifier = try body.text("identifier")
            continueURI = try body.text("continueUri")
            providerID = try body.text("providerId")
            sessionID = try body.text("sessionId")
        }
    }

    struct Answer: Encodable {
        let kind = "identitytoolkit#CreateAuthUriResponse"
        var registered: Bool?
        var allProviders: [String]?
        let sessionId: String
        var signinMethods: [String]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if body.providerID != nil { throw TransportError.notImplemented("Sign-in flows by way of createAuthUri") }
        let identifier = try require(body.identifier, .missingIdentifier)
        let continueURI = try require(body.continueURI, .missingContinueURI)
        let result = try await methods.run(identifier: identifier, sessionID: body.sessionID, context: context)
        guard let parts = URLComponents(string: continueURI), parts.scheme?.isEmpty == false, parts.host?.isEmpty == false else {
            throw APIError(.invalidContinueURI)
        }
        return Answer(
            registered: result.known?.isRegistered,
            allProviders: result.known?.providers,
            sessionId: result.sessionID,
            signinMethods: result.known?.methods
        )
    }
}
