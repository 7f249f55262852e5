import Accounts
import Foundation
import Project

extension AdminMethod {
    /// `POST v1/projects/-/serviceAccounts/{email}:signBlob` of Google's IAM Service Account Credentials API, which the Admin SDKs call to
    /// make custom tokens without a key file. Its project is always `-`.
    static func signBlob(_ signing: ServiceAccountSigning) -> AdminMethod {
        AdminMethod(
            name: "SignBlob",
            summary: "Signs a custom token with the key of a service account that the server holds.",
            route: Route(
                host: .iamCredentials,
                access: .adminOnly(.changeUsers),
                path: "v1/projects/-/serviceAccounts/{id}:signBlob"
            ),
            request: Schema(fields: ["/payload": .string]),
            answer: Schema(fields: ["/keyId": .string, "/signedBlob": .string])
        ) { call in
            let body = ProtoObject(call.body.object ?? [:])
            guard let payload = try body.text("payload").flatMap({ Data(base64Encoded: $0) }) else {
                throw InvalidArgument(at: "/payload", "must be bytes in base64")
            }
            let signature = try await signing.sign(Array(payload), for: call.id, context: call.context)
            return ["keyId": .string(signature.keyID), "signedBlob": .string(Data(signature.bytes).base64EncodedString())]
        }
    }
}
