import Accounts
import Project

/// `accounts:lookup`: the caller's account, or accounts that an administrator names (`Docs/Contract/client-accounts.md` §8).
struct Lookup: Endpoint {
    static let summary = "Reads the caller's account, or accounts that an administrator names."
    static let route = Route(
        access: .apiKeyOrAdmin(.readUsers),
        path: "v1/accounts:lookup",
        legacyName: "getAccountInfo",
        projectPath: "accounts:lookup"
    )

    let reader: AccountReader

    struct Body: ProtoDecodable {
        let idToken: String?
        let selectors: [AccountReader.Selector]

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            let federated = try body.objects("federatedUserId").compactMap { entry -> AccountReader.Selector? in
                // Both are read before the guard, so that both types are checked even if one member is missing.
                let (named, raw) = (try entry.string("providerId"), try entry.string("rawId"))
                guard let providerID = named, let rawID = raw else { return nil }
                return .identity(providerID: providerID, rawID: rawID)
            }
            selectors =
                try body.strings("localId").map { .localID($0) }
                + body.strings("email").map { .email($0) }
                + body.strings("phoneNumber").map { .phoneNumber($0) } + federated
                + body.strings("initialEmail").map { .initialEmail($0) }
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#GetAccountInfoResponse"
        let users: [AccountJSON]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let views = try await reader.read(body.selectors, idToken: body.idToken, context: context)
        let users = views.map { AccountJSON($0, showsHash: context.maySeeSecrets) }
        return Answer(users: users.isEmpty ? nil : users)
    }
}
