import Storage
import Testing

@Suite("The figures of a store", .teardown, .timeLimit(.minutes(15)))
struct FigureTests {
    @Test("count its connections, those in use, and no standby where there is none", arguments: TestBackend.available)
    func figures(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        let idle = database.pools
        #expect(!idle.isEmpty)
        #expect(idle.allSatisfy { $0.size >= 1 && $0.waiting == 0 })
        for isWrite in [false, true] {
            let busy =
                isWrite
                ? try await database.write { _ in database.pools } : try await database.read { _ in database.pools }
            #expect(busy.reduce(0) { $0 + $1.inUse } >= 1)
            #expect(busy.map(\.size) == idle.map(\.size))
        }
        #expect(try await database.replication() == nil)
    }
}
