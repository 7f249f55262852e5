import Foundation
import Logging
import TestKit
import Testing

@testable import Storage

@Suite("The log of an outage")
struct StoreOutageTests {
    private func refuse(_ outage: StoreOutage, _ error: StorageError, times: Int = 1) async {
        for _ in 0..<times {
            await #expect(throws: error) { try await outage.watching { throw error } }
        }
    }

    @Test("has one line when it begins and one when it is over, however many calls were refused")
    func course() async throws {
        let log = LogCapture()
        let outage = StoreOutage(logger: log.logger(), rhythm: .init(interval: .seconds(3600), quiet: .zero))
        try await outage.watching {}
        await refuse(outage, .unavailable("db1 is away"))
        await refuse(outage, .outcomeUnknown, times: 3)
        await refuse(outage, .busy, times: 96)
        try await outage.watching {}
        try await outage.watching {}
        #expect(log.lines.count == 2)
        #expect(log.lines.first?.hasPrefix("error the store refuses calls") == true)
        #expect(log.lines.first?.contains("db1 is away") == true)
        #expect(log.lines.last?.hasPrefix("notice the store answers again outcomeUnknown=3 refused=100") == true)
        await refuse(outage, .busy)
        #expect(log.lines.count == 3)
    }

    @Test("has a line for each interval, with the number of calls so far")
    func interval() async {
        let log = LogCapture()
        let outage = StoreOutage(logger: log.logger(), rhythm: .init(interval: .zero, quiet: .seconds(3600)))
        await refuse(outage, .full, times: 3)
        #expect(log.lines.count == 3)
        #expect(log.lines.last?.contains("the store still refuses calls") == true)
        #expect(log.lines.last?.contains("refused=3") == true)
    }

    @Test("goes on while calls are refused between answered ones")
    func mixed() async throws {
        let log = LogCapture()
        let outage = StoreOutage(logger: log.logger(), rhythm: .init(interval: .seconds(3600), quiet: .seconds(3600)))
        for _ in 0..<20 {
            await refuse(outage, .busy)
            try await outage.watching {}
        }
        #expect(log.lines.count == 1)
    }

    @Test("has no line for what is wrong with one call, and one for many lost connections")
    func others() async {
        let log = LogCapture()
        let outage = StoreOutage(logger: log.logger())
        await refuse(outage, .uniqueViolation(index: "accounts_email"))
        await refuse(outage, .other("no such table"))
        #expect(log.lines.isEmpty)
        for _ in 0..<50 { outage.lostConnection("the server went away") }
        #expect(log.lines == ["warning connection to PostgreSQL lost reason=the server went away"])
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
