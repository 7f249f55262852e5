import Project

/// The parts that all documents of OTLP have, in the protocol's JSON encoding: ids as hexadecimal text, 64-bit integers as text,
/// enumerations as numbers (OpenTelemetry Protocol, "JSON Protobuf Encoding").
struct OTLPDocument: Sendable {
    private let resource: JSONValue

    /// The name of the scope: what in this process made the data.
    private static let scope: JSONValue = ["name": "postern", "version": .string(Release.version)]

    // Longer texts are cut. Postern's own are far shorter.
    private static let maximumTextBytes = 2048

    init(resource: [(name: String, value: String)]) {
        self.resource = ["attributes": .array(resource.map { Self.attribute($0.name, .string($0.value)) })]
    }

    /// Wraps what this process made.
    func serialized(_ list: String, _ scoped: String, _ name: String, _ entries: [JSONValue]) -> [UInt8] {
        let inner = JSONValue.object(JSONObject(naming: [("scope", Self.scope), (name, .array(entries))]))
        let outer = JSONValue.object(JSONObject(naming: [("resource", resource), (scoped, .array([inner]))]))
        return Array(JSONValue.object(JSONObject(naming: [(list, .array([outer]))])).serialized())
    }

    /// `KeyValue` with a text.
    static func attribute(_ name: String, _ value: JSONValue) -> JSONValue {
        let kind =
            switch value {
            case .bool: "boolValue"
            case .integer: "intValue"
            case .number: "doubleValue"
            case .array: "arrayValue"
            default: "stringValue"
            }
        return ["key": .string(name), "value": .object(JSONObject(naming: [(kind, any(value))]))]
    }

    private static func any(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number): .string(String(number))
        case .string(let text): .string(text.cut(toBytes: maximumTextBytes))
        case .number(let number): Self.number(number)
        case .array(let values):
            ["values": .array(values.map { attribute("", $0)["value"] ?? [:] })]
        default: value
        }
    }

    /// A number with a fraction. Those that JSON does not have are texts (Protocol Buffers, "ProtoJSON Format").
    static func number(_ number: Double) -> JSONValue {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
        return .number(number)
    }

    /// A 64-bit integer.
    static func integer(_ number: some BinaryInteger) -> JSONValue { .string(String(number)) }
}
