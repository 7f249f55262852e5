import Accounts
import Federation
import HTTPTypes
import Hummingbird
import Project

/// `POST /__/apple/notifications`: receives Apple's server notifications (`Docs/Contract/rulings.md` 15). Their signature is the
/// credential.
struct ReceiveAppleNotification {
    let notifications: AppleNotifications

    private static let maximumBodyBytes = 1 << 16

    private struct Body: ProtoDecodable {
        let payload: String?

        init(_ body: ProtoObject) throws { payload = try body.text("payload") }
    }

    private struct Answer: Codable {}

    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "ReceiveAppleNotification",
            summary: "Takes what Apple's server tells.",
            request: [.json(Schema(FieldRecorder.shape(of: Body.self)))],
            answers: [200: .json(Schema(answer: Answer.self))]
        )
        table.add(.post, "/__/apple/notifications", operation) { request, context in
            let body = try Body(ProtoObject(try await RequestBody.json(request, limit: Self.maximumBodyBytes, context)))
            guard let payload = body.payload else { throw TransportError.wrongShape("/payload", "must be string") }
            do {
                try await notifications.receive(payload, address: context.facts.address)
            } catch let error as ProviderError {
                // Without Apple's keys the notification cannot be verified, and a 503 makes Apple send it again. For other faults
                // of the notification a repetition would be useless.
                throw error.step == .keys ? TransportError.unavailable : error.apiError
            }
            return try JSONAnswer.response(Answer())
        }
    }
}
