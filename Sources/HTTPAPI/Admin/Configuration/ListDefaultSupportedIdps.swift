import Accounts
import HTTPTypes
import Project

/// `GET v2/defaultSupportedIdps` (`contract/admin-config.md` §11.4). They are few: one page has all.
struct ListDefaultSupportedIdps: AdminEndpoint {
    let route = Route(method: .get, host: .identityToolkit, path: "v2/defaultSupportedIdps", access: .adminOnly)

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let all = DefaultSupportedIdp.all.map { idp -> JSONValue in
            ["idpId": .string(idp.idpID), "description": .string(idp.description)]
        }
        return ["defaultSupportedIdps": .array(all)]
    }
}
