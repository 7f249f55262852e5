import Foundation
import Logging
import Project
import TestKit
import Testing

@testable import Storage

@Suite("The log of an outage")
struct StoreHealthTests {
    private func refuse(_ health: StoreHealth, _ error: StorageError, times: Int = 1) async {
        for _ in 0..<times {
            await #expect(throws: error) { try await health.watching(.read) { throw error } }
        }
    }

    @Test("has one line when it begins and one when it is over, however many calls were refused")
    func course() async throws {
        let log = LogCapture()
        let health = StoreHealth(logger: log.logger(), interval: .seconds(3600), quiet: .zero)
        try await health.watching(.read) {}
        await refuse(health, .unavailable("db1 is away"))
        await refuse(health, .outcomeUnknown, times: 3)
        await refuse(health, .busy, times: 96)
        try await health.watching(.read) {}
        try await health.watching(.read) {}
        #expect(log.lines.count == 2)
        #expect(log.lines.first?.hasPrefix("error the store refuses calls") == true)
        #expect(log.lines.first?.contains("db1 is away") == true)
        #expect(log.lines.last?.hasPrefix("notice the store answers again outcomeUnknown=3 refused=100") == true)
        await refuse(health, .busy)
        #expect(log.lines.count == 3)
    }

    @Test("has a line for each interval, with the number of calls so far")
    func interval() async {
        let log = LogCapture()
        let health = StoreHealth(logger: log.logger(), interval: .zero, quiet: .seconds(3600))
        await refuse(health, .full, times: 3)
        #expect(log.lines.count == 3)
        #expect(log.lines.last?.contains("the store still refuses calls") == true)
        #expect(log.lines.last?.contains("refused=3") == true)
    }

    @Test("goes on while calls are refused between answered ones")
    func mixed() async throws {
        let log = LogCapture()
        let health = StoreHealth(logger: log.logger(), interval: .seconds(3600), quiet: .seconds(3600))
        for _ in 0..<20 {
            await refuse(health, .busy)
            try await health.watching(.read) {}
        }
        #expect(log.lines.count == 1)
    }

    @Test("has no line for what is wrong with one call, and one for many lost connections")
    func others() async {
        let log = LogCapture()
        let health = StoreHealth(logger: log.logger())
        await refuse(health, .uniqueViolation(index: "accounts_email"))
        await refuse(health, .other("no such table"))
        #expect(log.lines.isEmpty)
        for _ in 0..<50 { health.lostConnection("the server went away") }
        #expect(log.lines == ["warning connection to PostgreSQL lost reason=the server went away"])
    }

    @Test("lets a line through in each interval, with the number of those before it that were left out")
    func throttle() {
        var throttle = LogThrottle(interval: .seconds(30))
        let start = ContinuousClock.now
        let admitted = [0, 1, 29, 30, 59, 61, 91].map { throttle.admit(at: start + .seconds($0)) }
        #expect(admitted == [0, nil, nil, 2, nil, 1, 0])
    }

    @Test("has its reasons in the store alone: no conflict of calls is thrown as one")
    func conflicts() throws {
        let sources = packageDirectory.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var seen = 0
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/Sources/Storage/") {
            seen += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(/throw StorageError\b/), "\(file.lastPathComponent)")
        }
        #expect(seen > 500)
    }
}

@Suite("Doubt about a store's writes (OPS-02)")
struct WriteHealthTests {
    private let health = StoreHealth(logger: quiet)

    private func fail(_ kind: StoreHealth.Kind, _ error: StorageError) async {
        await #expect(throws: error) { try await health.watching(kind) { throw error } }
    }

    /// Whether a probe had to write, and whether it was to look for space.
    private func probed() async throws -> Bool? {
        let asked = LockedState<Bool?>(nil)
        try await health.settle { isSpaceInDoubt in asked.withLock { $0 = isSpaceInDoubt } }
        return asked.withLock { $0 }
    }

    @Test("begins with a failed write, and ends with a probe; a failed read and what is wrong with one write begin none")
    func course() async throws {
        #expect(try await probed() == nil)
        await fail(.read, .full)
        await fail(.write, .uniqueViolation(index: "accounts_email"))
        #expect(try await probed() == nil)
        await fail(.write, .busy)
        #expect(try await probed() == false)
        #expect(try await probed() == nil)
        await fail(.write, .full)
        await fail(.write, .busy)
        #expect(try await probed() == true)
        #expect(try await probed() == nil)
    }

    @Test("goes on after a probe that failed, and after one during which a write failed")
    func failedProbes() async throws {
        await fail(.write, .busy)
        await #expect(throws: StorageError.full) { try await health.settle { _ in throw StorageError.full } }
        await #expect(throws: StorageError.busy) { try await health.settle { _ in await fail(.write, .full) } }
        #expect(try await probed() == true)
        #expect(try await probed() == nil)
    }
}
