import Project
import Tracing

/// Postern's own tracer: W3C Trace Context in and out, spans for OTLP. What is not recorded costs a draw of the sampler.
final class OTLPTracer: Tracer {
    typealias Span = OTLPSpan

    private static let maximumStateBytes = 512

    private let sampler: TraceSampler
    private let queue: ExportQueue<OTLPSpan.Finished>

    init(sampler: TraceSampler, queue: ExportQueue<OTLPSpan.Finished>) {
        self.sampler = sampler
        self.queue = queue
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceIdentity
        guard sampler.records(parent, isStranger: context.isFromStranger) else {
            // Without a caller's trace there is nothing to pass on, and no id is needed.
            guard let parent, parent.isRemote else { return OTLPSpan(context: context) }
            context.traceIdentity = TraceIdentity(traceID: parent.traceID, spanID: sampler.cheapID(), isSampled: false)
            return OTLPSpan(context: context)
        }
        let ids = sampler.ids(in: parent)
        let identity = TraceIdentity(traceID: ids.trace, spanID: ids.span, isSampled: true)
        context.traceIdentity = identity
        let record = OTLPSpan.Record(
            operationName,
            identity: identity,
            parent: parent,
            kind: kind,
            start: instant().nanosecondsSinceEpoch,
            queue: queue
        )
        return OTLPSpan(context: context, record: record)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: "traceparent", from: carrier), let identity = TraceIdentity(traceparent: text)
        else { return }
        context.traceIdentity = identity
        guard !context.isFromStranger, let state = extractor.extract(key: "tracestate", from: carrier),
            state.utf8.count <= Self.maximumStateBytes, state.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return }
        context.traceState = state
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        injector.inject((context.traceIdentity ?? unrecorded()).traceparent, forKey: "traceparent", into: &carrier)
        if let state = context.traceState { injector.inject(state, forKey: "tracestate", into: &carrier) }
    }

    // Peers that follow their caller's decision must know of it, also where nothing is recorded here.
    private func unrecorded() -> TraceIdentity {
        let trace = TraceIdentity.TraceID(high: sampler.cheapID(), low: sampler.cheapID())
        return TraceIdentity(traceID: trace, spanID: sampler.cheapID(), isSampled: false)
    }

    /// Does nothing: spans are sent by a service of their own.
    func forceFlush() {}
}
