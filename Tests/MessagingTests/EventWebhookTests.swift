import Foundation
import Logging
import Messaging
import Project
import ServiceLifecycle
import Storage
import TestKit
import Testing

@Suite("The web hook's outbox", .timeLimit(.minutes(15)))
struct EventWebhookTests {
    private let clock = TestClock()

    private func open(_ path: String) async throws -> any Database {
        try SQLiteDatabase(.file(path), readers: 1, logger: LogCapture().logger())
    }

    @Test("outlives a node that dies with an event on its way: the next one posts it once the lease has ended")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/postern.sqlite"
            let now = clock.now
            let first = try await open(path)
            try await Migrator.sqlite.migrate(first, now: 0)
            let record = OutboxRecord(
                messageID: "m",
                scope: Scope(projectID: "p"),
                payload: "{\"id\":\"m\"}",
                createdAt: now,
                expiresAt: now.advanced(by: .seconds(86_400))
            )
            try await first.write { transaction in
                try transaction.insertOutboxMessage(record, in: .webhook)
                let end = now.advanced(by: .seconds(180))
                let claimed = try transaction.claimOutboxMessages(
                    leaseID: "dead",
                    now: now,
                    leaseEnd: end,
                    limit: 1,
                    in: .webhook
                )
                #expect(claimed.count == 1)
            }
            try await first.close()

            clock.advance(by: .seconds(181))
            let (posts, posted) = AsyncStream.makeStream(of: OutboundHTTP.Request.self)
            let environment = clock.environment(
                http: OutboundHTTP { request, _ in
                    posted.yield(request)
                    return OutboundHTTP.Response(status: 204, headers: [], body: [])
                }
            )
            let second = try await open(path)
            let service = Webhook(url: "https://hook.example.com/e", secret: "s", environment: environment)
                .service(database: second, logger: LogCapture().logger())
            let group = ServiceGroup(services: [service], logger: LogCapture().logger())
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                var iterator = posts.makeAsyncIterator()
                let request = await iterator.next()
                #expect(request?.url == "https://hook.example.com/e")
                #expect(request?.body == Array("{\"id\":\"m\"}".utf8))
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(try await second.read { try $0.countWaitingOutboxMessages(in: .webhook) } == 0)
            try await second.close()
        }
    }
}
