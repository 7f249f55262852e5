import Accounts
import HTTPTypes

/// `setProjectConfig` of the v3 API, whose place the v2 API took (`contract/conventions.md` §1.1); it answers 501.
struct SetProjectConfig: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        legacyName: "setProjectConfig"
    )

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) {}
    }

    struct Answer: Encodable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        throw TransportError.notImplemented("The configuration of projects by the v3 API")
    }
}
