import Accounts
import Foundation
import Project

/// `POST v1/projects/-/serviceAccounts/{email}:signBlob` of Google's IAM Service Account Credentials API, which the Admin SDKs call to
/// make custom tokens without a key file. Its project is always `-`.
struct SignBlob: AdminEndpoint {
    static let summary = "Signs a custom token with the key of a service account that the server holds."
    let route = Route(
        host: .iamCredentials,
        access: .adminOnly(.changeUsers),
        path: "v1/projects/-/serviceAccounts/{id}:signBlob"
    )
    let signing: ServiceAccountSigning

    struct Body: ProtoDecodable {
        /// The bytes to sign, in base64.
        let payload: String?

        init(_ body: ProtoObject) throws { payload = try body.text("payload") }
    }

    var content: AdminContent {
        AdminContent(
            request: Schema(FieldRecorder.shape(of: Body.self)),
            answer: Schema(.object(naming: ["keyId", "signedBlob"].map { ($0, Shape.member($0)) }))
        )
    }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        guard let text = try Body(ProtoObject(call.body.object ?? [:])).payload, let payload = Data(base64Encoded: text) else {
            throw InvalidArgument(at: "/payload", "must be bytes in base64")
        }
        let signature = try await signing.sign(Array(payload), for: call.id, context: call.context)
        return ["keyId": .string(signature.keyID), "signedBlob": .string(Data(signature.bytes).base64EncodedString())]
    }
}
