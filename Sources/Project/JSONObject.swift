private import OrderedCollections

/// The members of a JSON object, in the order in which they were written or read.
///
/// Two objects are equal if they have equal members, whatever their order (RFC 8259 §4).
package struct JSONObject: Sendable {
    private var members: OrderedDictionary<MemberName, JSONValue>

    package init() { members = [:] }

    private init(_ members: OrderedDictionary<MemberName, JSONValue>) { self.members = members }

    /// Members by names; the last of several of one name stays, at the place of the first.
    package init(naming members: some Sequence<(String, JSONValue)>) {
        self.init(pairs: members.lazy.map { (MemberName($0), $1) }, count: members.underestimatedCount)
    }

    private init(pairs: some Sequence<(MemberName, JSONValue)>, count: Int) {
        var members = OrderedDictionary<MemberName, JSONValue>(minimumCapacity: count)
        for (name, value) in pairs { members[name] = value }
        self.init(members)
    }

    /// The member of a name. A new one goes to the end, and `nil` removes.
    package subscript(name: MemberName) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// As by its text.
    package subscript(name: String) -> JSONValue? {
        get { members[MemberName(name)] }
        set { members[MemberName(name)] = newValue }
    }

    /// The names, in order.
    package var keys: [MemberName] { Array(members.keys) }

    package var values: [JSONValue] { Array(members.values) }

    /// Whether the members are in the order of their names' bytes.
    var isInOrder: Bool {
        let names = members.keys
        return names.indices.dropFirst().allSatisfy { names[$0 - 1] < names[$0] }
    }

    package mutating func updateValue(_ value: JSONValue, forKey name: MemberName) -> JSONValue? {
        members.updateValue(value, forKey: name)
    }

    /// Takes over the members of another object; of those that both have, what `combine` makes of the two.
    package mutating func merge(_ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue)
        rethrows
    {
        try members.merge(other.members.elements, uniquingKeysWith: combine)
    }

    /// This object and then what only another one has, see ``merge(_:uniquingKeysWith:)``.
    package func merging(
        _ other: JSONObject,
        uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows -> JSONObject {
        var merged = self
        try merged.merge(other, uniquingKeysWith: combine)
        return merged
    }

    /// The members for which the predicate holds.
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(try members.filter(isIncluded))
    }

    /// The same names with other values.
    package func mapValues(_ transform: (JSONValue) throws -> JSONValue) rethrows -> JSONObject {
        JSONObject(try members.mapValues(transform))
    }

    /// The same names with other values, without those whose value becomes `nil`.
    package func compactMapValues(_ transform: (JSONValue) throws -> JSONValue?) rethrows -> JSONObject {
        JSONObject(try members.compactMapValues(transform))
    }
}

extension JSONObject: RandomAccessCollection {
    package typealias Element = (key: MemberName, value: JSONValue)

    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    package subscript(position: Int) -> Element { members.elements[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (MemberName, JSONValue)...) { self.init(pairs: elements, count: elements.count) }
}

extension JSONObject: Hashable {
    package static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.count == other.count && one.allSatisfy { other.members[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // A sum does not depend on the order.
        var sum = 0
        for (name, value) in self {
            var member = hasher
            member.combine(name)
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}
