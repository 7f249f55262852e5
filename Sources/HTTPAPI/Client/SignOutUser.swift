import Accounts
import HTTPTypes

/// `signOutUser` of the v3 API, which nothing calls (`contract/conventions.md` §1.1); it answers 501.
struct SignOutUser: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        legacyName: "signOutUser"
    )

    struct Body: ProtoDecodable {
        init(_ body: ProtoObject) {}
    }

    struct Answer: Encodable {}

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        throw TransportError.notImplemented("Signing out on the server")
    }
}
