package import Logging
import Project
package import Storage

// The events of accounts. Each is posted until it is accepted, for a day (`Docs/Contract/rulings.md` 16).
extension Webhook {
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
            attempt: { try await post(Array($0.payload.utf8)) }
        )
    }

    /// Posts an event of the type `test`, once, so that an operator sees what the receiver answers.
    package func testEvent(projectID: String) async throws -> Int {
        let body: JSONValue = [
            "id": .string("\(environment.newEventID()).test"), "type": "test",
            "createdAt": .string(environment.now().rfc3339), "projectId": .string(projectID), "data": [:],
        ]
        return try await answer(to: Array(body.serialized())).status
    }
}
