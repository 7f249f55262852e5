import Project
import Tracing

extension OTLPDocument {
    /// `ExportTraceServiceRequest`.
    func traces(_ spans: [OTLPSpan.Finished]) -> [UInt8] {
        serialized("resourceSpans", "scopeSpans", "spans", spans.map(Self.span))
    }

    private static func span(_ span: OTLPSpan.Finished) -> JSONValue {
        let content = span.content
        var value: JSONObject = [
            "traceId": .string(span.identity.traceID.hexadecimal), "spanId": .string(span.identity.spanHexadecimal),
            "flags": .integer(flags(span.identity, parent: span.parent)), "name": .string(content.name),
            "kind": .integer(kind(span.kind)), "startTimeUnixNano": integer(span.start), "endTimeUnixNano": integer(span.end),
            "attributes": attributes(content.attributes),
        ]
        value["parentSpanId"] = span.parent.map { .string($0.spanHexadecimal) }
        value["traceState"] = span.state.map { .string($0) }
        if !content.events.isEmpty { value["events"] = .array(content.events.map(event)) }
        if !content.links.isEmpty {
            value["links"] = .array(
                content.links.map { ["traceId": .string($0.traceID.hexadecimal), "spanId": .string($0.spanHexadecimal)] }
            )
        }
        if let status = content.status {
            value["status"] = ["code": .integer(status.code == .ok ? 1 : 2)]
        }
        return .object(value)
    }

    private static func event(_ event: SpanEvent) -> JSONValue {
        [
            "timeUnixNano": integer(event.nanosecondsSinceEpoch), "name": .string(event.name),
            "attributes": attributes(event.attributes),
        ]
    }

    // The second byte says whether the parent is known to be remote (opentelemetry-proto, `SpanFlags`).
    private static func flags(_ identity: TraceIdentity, parent: TraceIdentity?) -> Int64 {
        (identity.isSampled ? 1 : 0) | 0x100 | (parent?.isRemote == true ? 0x200 : 0)
    }

    private static func kind(_ kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func attributes(_ attributes: SpanAttributes) -> JSONValue {
        var values: [(name: String, value: JSONValue)] = []
        attributes.forEach { values.append(($0, value(of: $1))) }
        return .array(values.sorted { $0.name < $1.name }.map { attribute($0.name, $0.value) })
    }

    private static func value(of attribute: SpanAttribute) -> JSONValue {
        switch attribute {
        case .int32(let number): .integer(Int64(number))
        case .int64(let number): .integer(number)
        case .double(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .string(let text): .string(text)
        case .stringArray(let texts): .array(texts.map { .string($0) })
        case .stringConvertible(let value): .string("\(value)")
        default: .string("")
        }
    }
}
