package import Logging
package import Project
package import Storage

/// The operator's web hook for account events. Each event is posted until it is accepted, for a day
/// (`Docs/Contract/rulings.md` 16).
package struct EventWebhook: Sendable {
    private let url: String
    private let secret: String
    private let environment: ServerEnvironment

    package init(url: String, secret: String, environment: ServerEnvironment) {
        self.url = url
        self.secret = secret
        self.environment = environment
    }

    /// The service that posts what is in the outbox.
    ///
    /// - Returns: It may be run once.
    package func service(
        database: any Database,
        logger: Logger,
        configuration: OutboxService.Configuration = .init()
    ) -> OutboxService {
        OutboxService(
            .webhook,
            database: database,
            environment: environment,
            logger: logger,
            configuration: configuration,
            attempt: { try await post($0) }
        )
    }

    // No refusal is permanent, because the receiver may be repaired within a day.
    private func post(_ record: OutboxRecord) async throws {
        let response: OutboundHTTP.Response
        do { response = try await answer(to: Array(record.payload.utf8)) } catch let error as OutboundError {
            throw DeliveryError.temporary("web hook: \(error)")
        }
        guard (200..<300).contains(response.status) else { throw DeliveryError.temporary("web hook: \(response.status)") }
    }

    /// Posts an event of the type `test`, once, so that an operator sees what the receiver answers.
    package func test(projectID: String) async throws -> Int {
        let body: JSONValue = [
            "id": .string("\(environment.newEventID()).test"), "type": "test",
            "createdAt": .string(environment.now().rfc3339), "projectId": .string(projectID), "data": [:],
        ]
        return try await answer(to: Array(body.serialized())).status
    }

    private func answer(to body: [UInt8]) async throws -> OutboundHTTP.Response {
        let request = SignedPost.request(body, to: url, secret: secret, at: environment.now())
        return try await environment.http(request, limits: .init(maximumBodyBytes: 1 << 16))
    }
}
