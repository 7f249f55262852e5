import Project
import Settings
import Testing
import Tracing

@testable import Server

@Suite("The context of a trace")
struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test(
        "is read from valid headers only, and written as it was read",
        arguments: [
            ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", true), ("00-\(trace)-\(span)-03", true),
            ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
            ("", false), ("00", false), ("00-\(trace)-\(span)-01-", false), ("00-\(trace)-\(span)-01x", false),
            ("01-\(trace)-\(span)-01x", false), ("ff-\(trace)-\(span)-01", false), ("0-\(trace)-\(span)-01", false),
            ("00-\(trace.uppercased())-\(span)-01", false), ("00-\(trace)-\(span)-0", false),
            ("00-\(String(repeating: "0", count: 32))-\(span)-01", false),
            ("00-\(trace)-\(String(repeating: "0", count: 16))-01", false), ("00_\(trace)-\(span)-01", false),
            ("00-\(trace)-\(span)-0g", false), (" 00-\(trace)-\(span)-01", false),
            ("00-\(trace)-\(span)-01, 00-\(trace)-\(span)-01", false), ("00-é\(trace.dropFirst(2))-\(span)-01", false),
        ]
    )
    func header(text: String, isValid: Bool) {
        let identity = TraceIdentity(traceparent: text)
        #expect((identity != nil) == isValid)
        guard let identity else { return }
        #expect(identity.traceID.hexadecimal == Self.trace)
        #expect(identity.spanHexadecimal == Self.span)
        #expect(identity.isRemote)
        #expect(identity.traceparent == "00-\(Self.trace)-\(Self.span)-0\(identity.isSampled ? 1 : 0)")
    }

    private static func parent(sampled: Bool) throws -> TraceIdentity {
        // The smallest id: a sampler that went by the id would always take it.
        let id = String(repeating: "0", count: 31) + "1"
        return try #require(TraceIdentity(traceparent: "00-\(id)-\(span)-0\(sampled ? 1 : 0)"))
    }

    private static func sampler(_ ratio: Double, followsParent: Bool = true) -> TraceSampler {
        TraceSampler(.init(ratio: ratio, followsParent: followsParent)) { Array(repeating: 7, count: $0) }
    }

    @Test("is recorded by the ratio where no caller has a say")
    func ratio() {
        let sampler = Self.sampler(0.1)
        let recorded = (0..<20_000).count { _ in sampler.records(nil, isStranger: false) }
        #expect((1800...2200).contains(recorded))
        #expect((0..<1000).allSatisfy { _ in Self.sampler(1).records(nil, isStranger: false) })
        let never = Self.sampler(0)
        #expect(!(0..<1000).contains { _ in never.records(nil, isStranger: false) })
    }

    @Test("is recorded at a trusted caller's word, and never at a stranger's")
    func parents() throws {
        let (yes, no) = (try Self.parent(sampled: true), try Self.parent(sampled: false))
        let never = Self.sampler(0)
        #expect(never.records(yes, isStranger: false))
        #expect(!never.records(no, isStranger: false))
        #expect(!(0..<1000).contains { _ in never.records(yes, isStranger: true) })
        // Neither the flag nor the choice of the id raises the share.
        let seldom = Self.sampler(0.1)
        let recorded = (0..<20_000).count { _ in seldom.records(yes, isStranger: true) }
        #expect((1800...2200).contains(recorded))
        // A stranger who asks for no record has no say either.
        #expect((0..<100).allSatisfy { _ in Self.sampler(1).records(no, isStranger: true) })
    }

    @Test("is decided by its id where the caller's flag is not asked for")
    func ids() throws {
        let half = Self.sampler(0.5, followsParent: false)
        let low = try #require(TraceIdentity(traceparent: "00-\(Self.trace.dropLast(16))0000000000000001-\(Self.span)-00"))
        let high = try #require(TraceIdentity(traceparent: "00-\(Self.trace.dropLast(16))ffffffffffffffff-\(Self.span)-01"))
        #expect((0..<100).allSatisfy { _ in half.records(low, isStranger: false) })
        #expect(!(0..<100).contains { _ in half.records(high, isStranger: false) })
    }

    @Test("passes a stranger's trace on unrecorded, with the id of the trace and a span of its own")
    func unrecorded() throws {
        let queue = ExportQueue<OTLPSpan.Finished>(size: 10, batch: 10) { _ in }
        let tracer = OTLPTracer(sampler: Self.sampler(0), queue: queue)
        var context = ServiceContext.topLevel
        context.traceIdentity = try Self.parent(sampled: true)
        context.isFromStranger = true
        let span = tracer.startSpan("x", context: context)
        #expect(!span.isRecording)
        let identity = try #require(span.context.traceIdentity)
        #expect(identity.traceID == context.traceIdentity?.traceID)
        #expect(identity.spanID != context.traceIdentity?.spanID)
        #expect(!identity.isSampled)
        span.end()
        #expect(queue.take().isEmpty)
        #expect(tracer.startSpan("y", context: .topLevel).context.isEmpty)
    }

    @Test("ends a span once, and writes nothing to it afterwards")
    func ends() throws {
        let queue = ExportQueue<OTLPSpan.Finished>(size: 10, batch: 10) { _ in }
        let span = OTLPTracer(sampler: Self.sampler(1), queue: queue).startSpan("x", context: .topLevel)
        span.attributes["a"] = 1
        span.end()
        span.attributes["b"] = 2
        span.operationName = "y"
        span.end()
        let finished = queue.take()
        #expect(finished.map(\.content.name) == ["x"])
        #expect(finished.first?.content.attributes.count == 1)
        #expect(!span.isRecording)
    }
}
