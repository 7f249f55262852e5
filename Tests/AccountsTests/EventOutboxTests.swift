import Project
import Storage
import Synchronization
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("The web hook's sender")
struct EventOutboxTests {
    /// The events, in order.
    private final class Course: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func append(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// A store that records its commits.
    private struct NotedDatabase: Database {
        let database: any Database
        let course: Course

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            try await database.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            let result = try await database.write(body)
            course.append("committed")
            return result
        }

        func ping() async throws { try await database.ping() }

        func close() async throws { try await database.close() }
    }

    @Test("is woken once the events are committed, and never for what is not")
    func wakeUp() async throws {
        let clock = TestClock()
        let course = Course()
        let store = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(store, now: 0)
        let scope = Scope(projectID: "p")
        try await store.write { try $0.insertAccount(scope, AccountRecord(localID: "u", createdAt: clock.now)) }
        let database = NotedDatabase(database: store, course: course)
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: clock.environment())
        let environment = clock.environment()
        let deletion = BatchDeletion(
            runtime: Runtime(database: database, environment: environment, sealer: sealer, mode: .development),
            changeLog: ChangeLog(environment: environment, sealer: sealer, events: EventOutbox { course.append("woken") })
        )
        let context = CallContext(scope: scope, isPrivileged: true)
        _ = try await deletion.delete(["u"], force: true, context: context)
        #expect(course.all == ["committed", "woken"])
        #expect(try await store.read { try $0.countWaitingOutboxMessages(in: .webhook) } == 1)
        try await store.close()
        await #expect(throws: StorageError.self) { try await deletion.delete(["u"], force: true, context: context) }
        #expect(course.all == ["committed", "woken"])
    }

    @Test("makes events of sixty sign-ins of an account an hour: one account does not hold up the events of others")
    func pace() {
        let clock = TestClock()
        let pace = SignInEventPace()
        let scope = Scope(projectID: "p")
        func admitted(_ localID: String, _ scope: Scope) -> Int {
            (0..<100).count { _ in pace.admits(localID, scope, at: clock.now) }
        }
        #expect(admitted("ada", scope) == 60)
        #expect(admitted("ada", scope) == 0)
        #expect(admitted("bob", scope) == 60)
        #expect(admitted("ada", Scope(projectID: "p", tenantID: "t")) == 60)
        clock.advance(by: .seconds(3600))
        #expect(admitted("ada", scope) == 60)
    }
}
