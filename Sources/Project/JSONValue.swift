/// A JSON document as a value: what bodies, claims, provider configurations and audit details are made of.
///
/// Object members are unordered. Integers that fit 64 bits stay exact; every other number is a `Double` (RFC 8259 §6).
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string value, `nil` for every other kind.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of an integer, `nil` for every other kind (also for fractions).
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value of a number with or without a fraction, `nil` for every other kind.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value of a boolean, `nil` for every other kind.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array, `nil` for every other kind.
    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object, `nil` for every other kind.
    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; `nil` when it is absent or when this is not an object.
    package subscript(key: String) -> JSONValue? {
        get { self[MemberName(key)] }
        set { self[MemberName(key)] = newValue }
    }

    /// The member of an object by a ``MemberName``; `nil` when it is absent or when this is not an object.
    package subscript(name: MemberName) -> JSONValue? {
        get { object?[name] }
        set {
            var members = object ?? [:]
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The element of an array; `nil` when the index is out of bounds or when this is not an array.
    package subscript(index: Int) -> JSONValue? {
        guard let elements = array, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// This document with `patch` laid over it: objects merge member by member, everything else is replaced.
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard let members = object, let changes = patch.object else { return patch }
        return .object(members.merging(changes) { $0.merging($1) })
    }
}

// There is no `ExpressibleByNilLiteral`: it would turn an absent value into null where an optional is meant.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(naming: elements))
    }
}
