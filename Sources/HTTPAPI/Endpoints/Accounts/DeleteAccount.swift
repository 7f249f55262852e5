import Accounts
import Project

/// `accounts:delete` (`Docs/Contract/client-accounts.md` §10).
struct DeleteAccount: Endpoint {
    static let summary = "Deletes an account."
    static let route = Route(
        access: .apiKeyOrAdmin(.deleteUsers),
        path: "v1/accounts:delete",
        legacyName: "deleteAccount",
        projectPath: "accounts:delete"
    )

    let deletion: AccountDeletion

    struct Body: ProtoDecodable {
        let idToken: String?
        let localID: String?

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            localID = try body.text("localId")
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#DeleteAccountResponse"
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        try await deletion.delete(idToken: body.idToken, localID: body.localID, context: context)
        return Answer()
    }
}
