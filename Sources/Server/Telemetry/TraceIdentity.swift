import Project
import Tracing

/// Where a span stands: its trace, itself, and whether it is recorded (W3C Trace Context).
struct TraceIdentity: Sendable, Hashable {
    /// 16 bytes, not all zero.
    struct TraceID: Sendable, Hashable {
        let high: UInt64
        let low: UInt64

        /// 32 digits.
        var hexadecimal: String { Self.digits(high) + Self.digits(low) }

        fileprivate static func digits(_ value: UInt64) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
    }

    let traceID: TraceID
    /// 8 bytes, not all zero.
    let spanID: UInt64
    let isSampled: Bool
    /// Whether another process made the span.
    var isRemote = false

    init(traceID: TraceID, spanID: UInt64, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// 16 digits.
    var spanHexadecimal: String { TraceID.digits(spanID) }

    /// The header `traceparent`.
    var traceparent: String { "00-\(traceID.hexadecimal)-\(spanHexadecimal)-0\(isSampled ? 1 : 0)" }

    /// Reads the header `traceparent`; `nil` when it is not valid. Later versions may have more after a dash (W3C Trace Context §4.3).
    init?(traceparent text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            let version = Self.number(bytes[0..<2]), version != 0xff,
            bytes.count == Self.length || version != 0 && bytes[Self.length] == Self.dash,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        traceID = TraceID(high: high, low: low)
        spanID = span
        isSampled = flags & 1 == 1
        isRemote = true
    }

    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    // Capital letters are not valid.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}

extension ServiceContext {
    private enum IdentityKey: ServiceContextKey {
        typealias Value = TraceIdentity
    }

    private enum StateKey: ServiceContextKey {
        typealias Value = String
    }

    /// The span that this context stands for.
    var traceIdentity: TraceIdentity? {
        get { self[IdentityKey.self] }
        set { self[IdentityKey.self] = newValue }
    }

    /// The header `tracestate` of the caller, which is passed on.
    var traceState: String? {
        get { self[StateKey.self] }
        set { self[StateKey.self] = newValue }
    }
}
