import Foundation
import Logging
import Messaging
import Project
import ServiceLifecycle
import Storage
import TestKit
import Testing

@Suite("The outbox and its service", .timeLimit(.minutes(15)))
struct EmailOutboxServiceTests {
    private let clock = TestClock()
    private let scope = Scope(projectID: "p")

    private func withStore(_ body: (any Database) async throws -> Void) async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        try await Migrator.sqlite.migrate(database, now: 0)
        try await body(database)
        try await database.close()
    }

    private func service(
        _ database: any Database,
        logger: Logger = quiet,
        pollInterval: Duration = .milliseconds(20),
        _ transport: @escaping @Sendable (Scope?) async throws -> any EmailTransport
    ) -> OutboxService {
        OutboxService(
            database: database,
            payloadSeal: .inverting,
            environment: clock.environment(),
            logger: logger,
            configuration: .init(pollInterval: pollInterval),
            transport: transport
        )
    }

    /// Runs services in a group, as a server does, and stops them gracefully.
    private func running(_ services: OutboxService..., body: () async throws -> Void) async throws {
        let group = ServiceGroup(services: services, logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try outcome.get()
        }
    }

    private func enqueue(_ message: EmailMessage, in database: any Database, expiresAt: Timestamp? = nil) async throws {
        let outbox = EmailOutbox(payloadSeal: .inverting, environment: clock.environment())
        let record = try outbox.prepare(message, scope: scope, expiresAt: expiresAt)
        try await database.write { try $0.insertOutboxMessage(record) }
    }

    private func row(_ database: any Database) async throws -> Row {
        try await #require(database.read { try $0.queryOne("SELECT * FROM email_outbox") })
    }

    private func outcome(_ database: any Database) async throws -> String? { try await row(database).textIfPresent("outcome") }

    @Test("what was enqueued is sent once and its payload forgotten; what is stored is sealed")
    func sends() async throws {
        let server = try await SMTPServer.start()
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            #expect(try await !row(database).text("payload").contains("@"))
            let transport = server.transport()
            try await running(service(database) { _ in transport }) {
                try await eventually { try await outcome(database) == "sent" }
            }
            #expect(try await server.messages().count == 1)
            #expect(try await row(database).text("payload").isEmpty)
        }
        await server.stop()
    }

    @Test("a message of this node is sent without waiting for the next poll")
    func wakes() async throws {
        let server = try await SMTPServer.start()
        try await withStore { database in
            let transport = server.transport()
            let service = service(database, pollInterval: .seconds(3600)) { _ in transport }
            try await running(service) {
                try await enqueue(sampleMessage(), in: database)
                service.wake()
                try await eventually { try await outcome(database) == "sent" }
            }
        }
        await server.stop()
    }

    @Test("a temporary refusal is tried again later, with the same Message-ID, and not before")
    func retries() async throws {
        let server = try await SMTPServer.start()
        try await server.setFault("rcpt", reply: "451 4.3.0 later", times: 1)
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            let transport = server.transport()
            try await running(service(database) { _ in transport }) {
                try await eventually { try await row(database).textIfPresent("last_failure") != nil }
                let due = try await row(database).integer("due_at") - clock.now.milliseconds
                #expect((22_500...37_500).contains(due))
                #expect(try await server.messages().isEmpty)
                clock.advance(by: .seconds(38))
                try await eventually { try await outcome(database) == "sent" }
            }
            #expect(try await server.messages().count == 1)
            #expect(try await row(database).integer("attempts") == 2)
        }
        await server.stop()
    }

    @Test("a permanent refusal ends it, and nothing about the recipient is logged")
    func permanent() async throws {
        let server = try await SMTPServer.start()
        try await server.setFault("rcpt", reply: "550 5.1.1 ada@example.org unknown")
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            let (transport, log) = (server.transport(), LogCapture())
            try await running(service(database, logger: log.logger()) { _ in transport }) {
                try await eventually { try await outcome(database) == "dead" }
            }
            #expect(try await row(database).text("payload").isEmpty)
            #expect(log.lines.contains { $0.contains("given up") && $0.contains("550") })
            #expect(!log.lines.contains { $0.contains("ada@") || $0.contains("oobCode") })
        }
        await server.stop()
    }

    @Test("a server that is down gets the mail once it is up, also from a node that was started again")
    func serverDown() async throws {
        let port = try RefusingPort()
        var options = SMTPServer.Options()
        options.port = port.number
        let configuration = SMTPServerConfiguration(host: "127.0.0.1", port: port.number, security: .startTLS)
        let timeouts = SMTPTransport.Timeouts(connect: .seconds(600), total: .seconds(600))
        try await withTemporaryDirectory { directory in
            let file = directory + "/outbox.sqlite"
            let first = try SQLiteDatabase(.file(file), readers: 1, logger: quiet)
            try await Migrator.sqlite.migrate(first, now: 0)
            try await enqueue(sampleMessage(), in: first)
            try await running(service(first) { _ in SMTPTransport(server: configuration, timeouts: timeouts) }) {
                try await eventually { try await row(first).textIfPresent("last_failure") != nil }
            }
            try await first.close()
            let server = try await SMTPServer.start(options)
            let second = try SQLiteDatabase(.file(file), readers: 1, logger: quiet)
            clock.advance(by: .seconds(60))
            try await running(service(second) { _ in SMTPTransport(server: configuration, timeouts: timeouts) }) {
                try await eventually { try await outcome(second) == "sent" }
            }
            try await second.close()
            #expect(try await server.messages().count == 1)
            await server.stop()
        }
        withExtendedLifetime(port) {}
    }

    @Test("two nodes on one store send each message once")
    func twoNodes() async throws {
        let server = try await SMTPServer.start()
        try await withTemporaryDirectory { directory in
            let file = directory + "/outbox.sqlite"
            let nodes = try (0..<2).map { _ in
                try SQLiteDatabase(.file(file), readers: 1, busyTimeout: .seconds(600), logger: quiet)
            }
            try await Migrator.sqlite.migrate(nodes[0], now: 0)
            for number in 0..<30 { try await enqueue(sampleMessage(to: "user\(number)@example.org"), in: nodes[number % 2]) }
            let transports = nodes.map { _ in server.transport() }
            try await running(service(nodes[0]) { _ in transports[0] }, service(nodes[1]) { _ in transports[1] }) {
                try await eventually { try await nodes[0].read { try $0.countWaitingOutboxMessages() } == 0 }
            }
            for node in nodes { try await node.close() }
            #expect(try await server.messages().count == 30)
            #expect(Set(try await server.messages().compactMap { $0["rcptTos"]?[0]?.string }).count == 30)
        }
        await server.stop()
    }

    @Test("what another node had leased when it died is sent once the lease ends")
    func deadNode() async throws {
        let server = try await SMTPServer.start()
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            let (now, end) = (clock.now, clock.now.advanced(by: .seconds(180)))
            _ = try await database.write { try $0.claimOutboxMessages(leaseID: "dead", now: now, leaseEnd: end, limit: 1) }
            clock.advance(by: .seconds(180))
            let transport = server.transport()
            try await running(service(database) { _ in transport }) {
                try await eventually { try await outcome(database) == "sent" }
            }
        }
        await server.stop()
    }

    @Test("a message whose link has expired is not sent, nor one that cannot be opened")
    func useless() async throws {
        let server = try await SMTPServer.start()
        let transport = server.transport()
        for isExpired in [true, false] {
            try await withStore { database in
                try await enqueue(sampleMessage(), in: database, expiresAt: clock.now.advanced(by: .seconds(60)))
                if isExpired { clock.advance(by: .seconds(60)) }
                if !isExpired { _ = try await database.write { try $0.execute("UPDATE email_outbox SET payload = 'other key'") } }
                try await running(service(database) { _ in transport }) {
                    try await eventually { try await outcome(database) == "dead" }
                }
                #expect(try await row(database).text("last_failure") == (isExpired ? "expired" : "cannot be opened"))
            }
        }
        #expect(try await server.messages().isEmpty)
        await server.stop()
    }

    @Test("mail that no transport takes is tried for about a day, less and less often, and then given up")
    func givesUp() async throws {
        struct NoTransport: Error {}
        try await withStore { database in
            let start = clock.now
            try await enqueue(sampleMessage(), in: database)
            try await running(service(database) { _ in throw NoTransport() }) {
                var attempts: Int64 = 0
                while try await outcome(database) == nil {
                    let row = try await row(database)
                    if try row.integer("attempts") > attempts, try row.textIfPresent("lease_id") == nil {
                        attempts = try row.integer("attempts")
                        clock.advance(by: .milliseconds(max(0, try row.integer("due_at") - clock.now.milliseconds)))
                    }
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect((8...20).contains(attempts))
            }
            #expect(clock.now < start.advanced(by: .seconds(24 * 3600)))
            #expect(clock.now > start.advanced(by: .seconds(12 * 3600)))
        }
    }

    @Test("a graceful stop waits for what is on its way")
    func gracefulStop() async throws {
        let server = try await SMTPServer.start()
        try await server.delay(seconds: 1)
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            let transport = server.transport()
            try await running(service(database) { _ in transport }) {
                try await eventually { !server.events("fault").isEmpty }
            }
            #expect(try await outcome(database) == "sent")
        }
        await server.stop()
    }

    @Test("the log transport writes one record, with the text and its link")
    func logTransport() async throws {
        let log = LogCapture()
        try await withStore { database in
            try await enqueue(sampleMessage(), in: database)
            let transport = LogTransport(logger: log.logger())
            try await running(service(database) { _ in transport }) {
                try await eventually { try await outcome(database) == "sent" }
            }
        }
        let lines = log.lines.filter { $0.contains("https://app.example/__/auth/action?oobCode=abc") }
        #expect(lines.count == 1 && lines[0].contains("ada@example.org"))
    }

    @Test("deletes what ended a week ago, however much there is")
    func sweep() async throws {
        try await withStore { database in
            let (scope, ended) = (scope, clock.now)
            try await database.write { transaction in
                for number in 0..<1700 {
                    let id = "\(number)"
                    let record = OutboxRecord(messageID: id, scope: scope, payload: "", createdAt: ended, expiresAt: ended)
                    try transaction.insertOutboxMessage(record)
                }
                try transaction.execute("UPDATE email_outbox SET finished_at = \(ended.milliseconds)")
            }
            clock.advance(by: .seconds(8 * 24 * 3600))
            try await running(service(database) { _ in throw CancellationError() }) {
                try await eventually {
                    try await database.read { try $0.queryOne("SELECT COUNT(*) AS n FROM email_outbox")?.integer("n") } == 0
                }
            }
        }
    }
}
