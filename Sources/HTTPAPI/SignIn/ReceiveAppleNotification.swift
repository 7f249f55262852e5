import Accounts
import Federation
import HTTPTypes
import Hummingbird
import Project

/// `POST /__/apple/notifications`: what Apple's server tells ours (`contract/rulings.md` 15). The signature is the credential.
struct ReceiveAppleNotification {
    let notifications: AppleNotifications
    let clientAddress: ClientAddress

    private static let maximumBodyBytes = 1 << 16

    private struct Answer: Encodable {}

    /// Adds the route.
    func add(to table: inout RouteTable) {
        table.add(.post, "/__/apple/notifications") { request, context in
            let body = ProtoObject(try await RequestBody.json(request, limit: Self.maximumBodyBytes))
            guard let payload = try body.text("payload") else { throw TransportError.wrongShape("/payload", "must be string") }
            do {
                try await notifications.receive(payload, address: clientAddress.resolve(request, context))
            } catch let error as ProviderError {
                // Apple asks again after a failure of ours, and need not after its own.
                throw error.isUnreachable ? TransportError.unavailable : error.apiError
            }
            return try JSONAnswer.response(Answer())
        }
    }
}
