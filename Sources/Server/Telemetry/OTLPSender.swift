import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import Project
import ServiceLifecycle
import Settings

/// Sends documents of one kind to a collector, as OTLP/HTTP demands: an answer of 429, 502, 503 or 504 and a lost connection are tried
/// again, with growing pauses; everything else is final.
final class OTLPSender: Sendable {
    /// What became of a document.
    enum Outcome: Equatable {
        case delivered
        case lost
    }

    private static let tries = 3
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(10)
    private static let maximumAnswerBytes = 64 * 1024

    private let signal: String
    private let destination: TelemetrySettings.Destination
    private let logger: Logger
    private let isFailing = LockedState(false)

    /// - Parameter logger: It must not send to the same collector.
    init(_ signal: String, to destination: TelemetrySettings.Destination, logger: Logger) {
        self.signal = signal
        self.destination = destination
        self.logger = logger
    }

    /// Sends a document.
    ///
    /// - Parameter isLast: Whether the server is about to end, so that there is no time for another try.
    func send(_ body: [UInt8], by client: HTTPClient, isLast: Bool) async -> Outcome {
        var pause = Self.firstPause
        for round in 1...Self.tries {
            let answer = await exchange(body, by: client)
            switch answer {
            case .taken(let remark):
                settle(failure: nil)
                if let remark {
                    logger.warning("a collector refused a part", metadata: ["signal": "\(signal)", "answer": "\(remark)"])
                }
                return .delivered
            case .refused(let reason):
                settle(failure: reason)
                return .lost
            case .later(let reason, let wanted):
                guard round < Self.tries, !isLast, !Task.isShuttingDownGracefully, !Task.isCancelled else {
                    settle(failure: reason)
                    return .lost
                }
                let wait = min(wanted ?? pause, Self.longestPause)
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: wait) }
                pause = pause * 2
            }
        }
        return .lost
    }

    private enum Answer {
        case taken(remark: String?)
        case refused(String)
        case later(String, after: Duration?)
    }

    private func exchange(_ body: [UInt8], by client: HTTPClient) async -> Answer {
        var request = HTTPClientRequest(url: destination.url.text)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "OTel-OTLP-Exporter-Postern/\(Release.version)")
        for (name, value) in destination.headers { request.headers.add(name: name, value: value.reveal()) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await client.execute(request, timeout: TimeAmount(destination.timeout))
            let text = try await response.body.collect(upTo: Self.maximumAnswerBytes)
            switch response.status.code {
            case 200..<300: return .taken(remark: Self.remark(Array(text.readableBytesView)))
            case 429, 502, 503, 504:
                let seconds = response.headers.first(name: "Retry-After").flatMap { Int($0) }
                return .later("HTTP \(response.status.code)", after: seconds.map { .seconds(max($0, 0)) })
            default: return .refused("HTTP \(response.status.code)")
            }
        } catch is NIOTooManyBytesError {
            return .refused("the answer is too large")
        } catch {
            return .later("no answer", after: nil)
        }
    }

    // `partialSuccess` says how many entries the collector did not take, and why.
    private static func remark(_ body: [UInt8]) -> String? {
        guard let partial = (try? JSONValue.parse(body))?["partialSuccess"]?.object else { return nil }
        let isWhole = partial.allSatisfy { _, value in
            ["", "0"].contains(value.string) || value.integer == 0
        }
        return isWhole ? nil : JSONValue.object(partial).text.cut(toBytes: 256)
    }

    // Once for each outage: a line for each document would fill the log.
    private func settle(failure: String?) {
        let wasFailing = isFailing.withLock { state in
            defer { state = failure != nil }
            return state
        }
        let metadata: Logger.Metadata = ["signal": "\(signal)", "endpoint": "\(destination.url.origin)"]
        if let failure, !wasFailing {
            logger.warning("telemetry is not delivered", metadata: metadata.merging(["cause": "\(failure)"]) { $1 })
        } else if failure == nil, wasFailing {
            logger.notice("telemetry is delivered again", metadata: metadata)
        }
    }
}
