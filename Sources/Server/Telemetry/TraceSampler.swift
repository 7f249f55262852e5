import Project
import Settings
import Synchronization
import Tracing

/// Decides which requests are recorded, and draws the ids of traces and spans.
final class TraceSampler: Sendable {
    private let followsParent: Bool
    // A trace is recorded when 63 of its bits are below this bound.
    private let bound: UInt64
    private let random: @Sendable (Int) -> [UInt8]
    private let state: Atomic<UInt64>

    init(_ settings: TelemetrySettings.Sampler, random: @escaping @Sendable (Int) -> [UInt8]) {
        followsParent = settings.followsParent
        bound = UInt64(settings.ratio * 0x1p63)
        self.random = random
        state = Atomic(Self.number(random(8)))
    }

    /// Decides about a span.
    ///
    /// The trace ids of strangers have no say: they could be chosen so that each is recorded.
    func records(_ parent: TraceIdentity?, isStranger: Bool) -> Bool {
        guard let parent else { return draw() >> 1 < bound }
        if !parent.isRemote { return parent.isSampled }
        if isStranger { return draw() >> 1 < bound }
        return followsParent ? parent.isSampled : parent.traceID.low >> 1 < bound
    }

    /// The ids of a recorded span. They must not be guessed from others.
    func ids(in parent: TraceIdentity?) -> (trace: TraceIdentity.TraceID, span: UInt64) {
        let span = Self.number(random(8)) | 1
        guard let parent else {
            return (.init(high: Self.number(random(8)), low: Self.number(random(8)) | 1), span)
        }
        return (parent.traceID, span)
    }

    /// A number for what is not recorded: cheap, and never 0.
    func cheapID() -> UInt64 { draw() | 1 }

    // SplitMix64 (Steele, Lea and Flood, 2014). Every request draws, and the system's generator costs a call of the kernel.
    private func draw() -> UInt64 {
        var value = state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
