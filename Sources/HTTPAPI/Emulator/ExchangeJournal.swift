import HTTPTypes
import Hummingbird
import NIOCore
package import Project

/// The latest requests with their answers, for developers. It holds secrets, and therefore exists in development only.
package final class ExchangeJournal: Sendable {
    /// A request that was answered.
    package struct Exchange: Sendable {
        /// The id of the request in the log, and in the answer's `X-Request-Id`.
        package let requestID: String
        package let at: Timestamp
        package let method: String
        /// Path and query.
        package let target: String
        package let status: Int
        package let milliseconds: Int64
        /// The bodies, each cut at ``maximumBody`` bytes.
        package let request: String
        package let answer: String
    }

    private let recordings = LockedState<[Recording]>([])
    private let now: @Sendable () -> Timestamp

    /// How many are kept.
    package static let maximumCount = 100
    /// How long they are kept.
    package static let maximumAge = Duration.seconds(600)
    /// How many bytes of a body are kept.
    package static let maximumBody = 4096
    private static let maximumTarget = 512

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package var latest: [Exchange] {
        let past = now() - Self.maximumAge
        return recordings.withLock { recordings in
            recordings.removeAll { $0.at <= past }
            return recordings
        }.reversed().compactMap(\.exchange)
    }

    private func add(_ recording: Recording) {
        let past = now() - Self.maximumAge
        recordings.withLock { recordings in
            recordings.removeAll { $0.at <= past }
            recordings.append(recording)
            if recordings.count > Self.maximumCount { recordings.removeFirst(recordings.count - Self.maximumCount) }
        }
    }

    func begin(_ request: Request) -> (Request, Recording) {
        let recording = Recording(method: request.method.rawValue, target: request.head.path ?? "", at: now())
        let body = request.body.map { piece in
            recording.keep(piece, of: .request)
            return piece
        }
        var request = request
        request.body = .init(asyncSequence: body)
        return (request, recording)
    }

    /// Enters a request into the journal. The answer's body is recorded while it is sent.
    func end(_ recording: Recording, with response: Response, requestID: String) -> Response {
        // The clock may be moved while the request is answered.
        let milliseconds = (ContinuousClock.now - recording.start).wholeNanoseconds / 1_000_000
        recording.answer(requestID, status: response.status.code, milliseconds: milliseconds)
        add(recording)
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(RecordingWriter(base: writer, recording: recording))
        }
        return response
    }

    /// A request that is being answered.
    final class Recording: Sendable {
        fileprivate enum Part: Hashable { case request, answer }

        private let method: String
        private let target: String
        fileprivate let at: Timestamp
        fileprivate let start = ContinuousClock.now
        private let state = LockedState(State())

        private struct State: Sendable {
            var bodies: [Part: [UInt8]] = [:]
            var answered: (requestID: String, status: Int, milliseconds: Int64)?
        }

        fileprivate init(method: String, target: String, at: Timestamp) {
            self.method = method
            self.target = target.cut(toBytes: ExchangeJournal.maximumTarget)
            self.at = at
        }

        fileprivate func keep(_ piece: ByteBuffer, of part: Part) {
            state.withLock { state in
                let room = ExchangeJournal.maximumBody - state.bodies[part, default: []].count
                if room > 0 { state.bodies[part, default: []] += piece.readableBytesView.prefix(room) }
            }
        }

        fileprivate func answer(_ requestID: String, status: Int, milliseconds: Int64) {
            state.withLock { $0.answered = (requestID, status, milliseconds) }
        }

        /// What is known so far; `nil` until there is an answer.
        fileprivate var exchange: Exchange? {
            let state = state.withLock { $0 }
            func text(_ part: Part) -> String { String(decoding: state.bodies[part, default: []], as: UTF8.self) }
            return state.answered.map { answered in
                Exchange(
                    requestID: answered.requestID,
                    at: at,
                    method: method,
                    target: target,
                    status: answered.status,
                    milliseconds: answered.milliseconds,
                    request: text(.request),
                    answer: text(.answer)
                )
            }
        }
    }

    private struct RecordingWriter: ResponseBodyWriter {
        var base: any ResponseBodyWriter
        let recording: Recording

        mutating func write(_ buffer: ByteBuffer) async throws {
            recording.keep(buffer, of: .answer)
            try await base.write(buffer)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await base.finish(trailingHeaders) }
    }
}
