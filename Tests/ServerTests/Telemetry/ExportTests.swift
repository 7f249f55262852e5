import AsyncHTTPClient
import CoreMetrics
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("What goes to a collector", .teardown, .timeLimit(.minutes(15)))
struct ExportTests {
    @Test("waits in a bounded queue; what does not fit is dropped and counted")
    func bounded() {
        let dropped = LockedState(0)
        let queue = ExportQueue<Int>(size: 5, batch: 3) { count in dropped.withLock { $0 += count } }
        for number in 0..<8 { queue.offer(number) }
        #expect(dropped.withLock { $0 } == 3)
        #expect(queue.take() == [0, 1, 2])
        #expect(queue.take() == [3, 4])
        #expect(queue.take().isEmpty)
        queue.offer(8)
        #expect(queue.take() == [8])
    }

    private func sending(
        _ statuses: [Int],
        isLast: Bool = false,
        documents: Int = 1
    ) async throws -> (outcomes: [OTLPSender.Outcome], calls: [LoopbackService.Call], log: [String]) {
        let collector = try await LoopbackService.start()
        let answers = LockedState(statuses)
        collector.answer { _ in (answers.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, [:]) }
        let settings = try SettingsLoader.load(
            file: nil,
            environment: [
                "POSTERN_MODE": "development", "POSTERN_TELEMETRY_ENDPOINT": collector.origin,
                "POSTERN_TELEMETRY_HEADERS": "authorization=Bearer%20x,tenant=y", "POSTERN_TELEMETRY_TIMEOUT_SECONDS": "120",
            ]
        )
        let log = LogCapture()
        let destination = try #require(settings.telemetry.traces)
        let sender = OTLPSender("traces", to: destination, logger: log.logger())
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        var outcomes: [OTLPSender.Outcome] = []
        for _ in 0..<documents { outcomes.append(await sender.send(Array("{}".utf8), by: client, isLast: isLast)) }
        try await client.shutdown()
        return (outcomes, collector.calls, log.lines)
    }

    @Test("is sent again after an answer that says so, with the headers of the settings")
    func again() async throws {
        let (outcomes, calls, log) = try await sending([503, 200])
        #expect(outcomes == [.delivered])
        #expect(calls.map(\.path) == ["/v1/traces", "/v1/traces"])
        #expect(calls.first?.headers["content-type"] == "application/json")
        #expect(calls.first?.headers["authorization"] == "Bearer x")
        #expect(calls.first?.headers["tenant"] == "y")
        #expect(log.isEmpty)
    }

    @Test("is lost after any other refusal; the log says so once, and once when the collector is back")
    func lost() async throws {
        let (outcomes, calls, log) = try await sending([400, 404, 200], documents: 3)
        #expect(outcomes == [.lost, .lost, .delivered])
        #expect(calls.count == 3)
        #expect(log.count == 2)
        #expect(log.first?.contains("telemetry is not delivered") == true)
        #expect(log.last?.contains("telemetry is delivered again") == true)
        #expect(!log.joined().contains("Bearer"))
    }

    @Test("is sent once only when the server ends")
    func last() async throws {
        let (outcomes, calls, _) = try await sending([503, 200], isLast: true)
        #expect(outcomes == [.lost])
        #expect(calls.count == 1)
    }
}
