import Foundation
import Project
import Settings
import Storage
import Synchronization
import TestKit
import Testing
import Tokens

@testable import Server

/// Stores as the first start of a server leaves them: with the schema and with signing keys, for whose primes a debug build searches
/// longer than most tests take. Tests of processes start servers on stores that are empty.
///
/// No two servers of one test get the same keys. Servers of two tests may.
enum PreparedStore {
    /// The name of the file with an SQLite store.
    static let file = "postern.sqlite"

    private static let files = Stock<[(name: String, content: Data)]> { mode in
        try await withTemporaryDirectory { directory in
            try await prepare(mode, "sqlite:\(directory)/\(file)")
            return try FileManager.default.contentsOfDirectory(atPath: directory).map { name in
                (name, try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")))
            }
        }
    }

    private static let databases = Stock<String> { mode in
        let server = try await ThrowawayPostgreSQL.shared()
        let name = "prepared_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await server.execute("CREATE DATABASE \(name)")
        try await prepare(mode, server.uri(name))
        return name
    }

    /// Puts an SQLite store into a directory, and in development its master key beside it.
    static func putFiles(_ mode: ServerMode, in directory: String) async throws {
        for (name, content) in try await files.next(mode) {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: content, attributes: attributes) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }

    /// The name of a database of the shared PostgreSQL server, to be copied.
    static func database(_ mode: ServerMode) async throws -> String { try await databases.next(mode) }

    private static func prepare(_ mode: ServerMode, _ location: String) async throws {
        let variables = TestServer.storeVariables(mode, location)
        let settings = try SettingsLoader.load(file: nil, environment: variables)
        let environment = TestClock().environment()
        let database = try await Store.open(
            settings.database,
            pace: .patient(TestServer.patience),
            mode: mode,
            at: environment.now(),
            logger: LogCapture().logger()
        ).database
        try await StoreKeys(settings, of: database, environment: environment).ring.load()
        try await database.close()
    }

    /// Stores that are made when a test first needs as many.
    private final class Stock<Store: Sendable>: Sendable {
        private struct State {
            var made: [ServerMode: [Task<Store, any Error>]] = [:]
            var taken: [ServerMode: [Test.ID?: Int]] = [:]
        }

        private let state = Mutex(State())
        private let make: @Sendable (ServerMode) async throws -> Store

        init(_ make: @escaping @Sendable (ServerMode) async throws -> Store) { self.make = make }

        /// A store that the running test has not had yet.
        func next(_ mode: ServerMode) async throws -> Store {
            let test = Test.current?.id
            let task = state.withLock { state in
                let index = state.taken[mode, default: [:]][test, default: 0]
                state.taken[mode, default: [:]][test] = index + 1
                if index == state.made[mode, default: []].count {
                    state.made[mode, default: []].append(Task.detached { [make] in try await make(mode) })
                }
                return state.made[mode, default: []][index]
            }
            return try await task.value
        }
    }
}
