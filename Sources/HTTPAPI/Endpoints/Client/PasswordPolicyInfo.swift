import HTTPTypes
import Passwords
import Project
import Tenancy

/// `GET v2/passwordPolicy`: the rules for new passwords (`Docs/Contract/admin-config.md` §5).
struct PasswordPolicyInfo: Endpoint {
    static let summary = "Says which passwords may be chosen."
    static let route = Route(method: .get, access: .apiKeyOrAdmin(.readConfiguration), path: "v2/passwordPolicy")

    let configurations: ConfigurationStore

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) throws {}
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> JSONValue {
        try await configurations.configuration(of: context.scope).passwordPolicy.publicJSON
    }
}
