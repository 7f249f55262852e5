import Accounts
import HTTPTypes

/// `accounts:issueSamlResponse`: experimental and unused by every SDK (`contract/client-accounts.md` §14); it answers 501.
struct IssueSamlResponse: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        path: "v1/accounts:issueSamlResponse"
    )

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) {}
    }

    struct Answer: Encodable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        throw TransportError.notImplemented("Issuing SAML responses")
    }
}
