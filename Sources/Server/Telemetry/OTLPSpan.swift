import Project
import Tracing

/// A span for OTLP. One that is not recorded has a context only.
struct OTLPSpan: Span {
    /// A span that has ended.
    struct Finished: Sendable {
        let identity: TraceIdentity
        let parent: TraceIdentity?
        let state: String?
        let kind: SpanKind
        let start: UInt64
        let end: UInt64
        let content: Content
    }

    /// What is written to a span until it ends.
    struct Content: Sendable {
        var name: String
        var attributes = SpanAttributes()
        var events: [SpanEvent] = []
        var links: [TraceIdentity] = []
        var status: SpanStatus?
        var isEnded = false
    }

    /// What is recorded of a span.
    final class Record: Sendable {
        let identity: TraceIdentity
        let parent: TraceIdentity?
        let kind: SpanKind
        let start: UInt64
        let content: LockedState<Content>
        let queue: ExportQueue<Finished>

        init(
            _ name: String,
            identity: TraceIdentity,
            parent: TraceIdentity?,
            kind: SpanKind,
            start: UInt64,
            queue: ExportQueue<Finished>
        ) {
            self.identity = identity
            self.parent = parent
            self.kind = kind
            self.start = start
            content = LockedState(Content(name: name))
            self.queue = queue
        }
    }

    // The specification's own limits (OpenTelemetry SDK, "Span Limits").
    private static let maximumEntries = 128

    let context: ServiceContext
    let record: Record?

    init(context: ServiceContext, record: Record? = nil) {
        self.context = context
        self.record = record
    }

    var isRecording: Bool { record.map { !$0.content.withLock(\.isEnded) } ?? false }

    var operationName: String {
        get { record?.content.withLock(\.name) ?? "" }
        nonmutating set { change { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { record?.content.withLock(\.attributes) ?? [:] }
        nonmutating set {
            change { content in
                guard newValue.count <= Self.maximumEntries else { return }
                content.attributes = newValue
            }
        }
    }

    func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    func addEvent(_ event: SpanEvent) {
        change { content in
            guard content.events.count < Self.maximumEntries else { return }
            content.events.append(event)
        }
    }

    // The text of an error may hold what must not leave the server, so only its type does.
    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = String(describing: type(of: error))
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    func addLink(_ link: SpanLink) {
        guard let identity = link.context.traceIdentity else { return }
        change { content in
            guard content.links.count < Self.maximumEntries else { return }
            content.links.append(identity)
        }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let record else { return }
        let content = record.content.withLock { content -> Content? in
            guard !content.isEnded else { return nil }
            content.isEnded = true
            return content
        }
        guard let content else { return }
        let finished = Finished(
            identity: record.identity,
            parent: record.parent,
            state: context.traceState,
            kind: record.kind,
            start: record.start,
            end: max(instant().nanosecondsSinceEpoch, record.start),
            content: content
        )
        record.queue.offer(finished)
    }

    private func change(_ change: (inout Content) -> Void) {
        record?.content.withLock { content in
            if !content.isEnded { change(&content) }
        }
    }
}
