import Federation
import HTTPTypes
import Project

/// `GET v2/defaultSupportedIdps` (`Docs/Contract/admin-config.md` §11.4). One page holds all of them.
struct ListDefaultSupportedIdps: AdminEndpoint {
    static let summary = "Lists the identity providers that Postern knows by itself."
    let route = Route(
        method: .get,
        host: .identityToolkit,
        access: .adminOnly(.readConfiguration),
        path: "v2/defaultSupportedIdps"
    )
    var content: AdminContent { AdminContent(answer: PageQuery.answer("defaultSupportedIdps", of: Schema(answer: Idp.self))) }

    private struct Idp: Decodable {
        let idpId: String
        let description: String
    }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let all = Providers.builtIn.map { provider -> JSONValue in
            ["idpId": .string(provider.id), "description": .string(provider.label)]
        }
        return ["defaultSupportedIdps": .array(all)]
    }
}
