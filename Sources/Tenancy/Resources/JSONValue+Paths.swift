package import Project

extension JSONValue {
    /// The value at a path, or `nil` if a member or element on the way is missing. Elements of lists are named by their index.
    package func value(at path: some Collection<String>) -> JSONValue? {
        path.reduce(JSONValue?.some(self)) { value, name in
            value?.array == nil ? value?[name] : Int(name).flatMap { value?[$0] }
        }
    }

    /// Sets the value at a path and creates missing objects on the way; `nil` removes the value. Elements of lists are
    /// named by their index; the index behind the last appends one.
    package func setting(_ value: JSONValue?, at path: some Collection<String>) -> JSONValue {
        guard let name = path.first else { return value ?? [:] }
        let rest = Array(path.dropFirst())
        if var elements = array, let place = Int(name), (0...elements.count).contains(place) {
            if place == elements.count { elements.append([:]) }
            elements[place] = elements[place].setting(value, at: rest)
            return .array(elements)
        }
        var members = object ?? [:]
        if rest.isEmpty {
            members[name] = value
        } else if value != nil || members[name]?.object != nil {
            members[name] = (members[name] ?? [:]).setting(value, at: rest)
        }
        return .object(members)
    }

    /// This document, with missing members taken from another.
    func filled(from defaults: JSONValue) -> JSONValue { defaults.merging(self) }

    /// This document without the null members of its objects.
    var withoutNulls: JSONValue {
        switch self {
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
        case .array(let elements): .array(elements.map(\.withoutNulls))
        default: self
        }
    }

    /// The paths at which two documents differ, without the values.
    func differingPaths(from other: JSONValue?, at path: String = "") -> [String] {
        if self == other { return [] }
        guard let members = object, let others = other?.object, self["sealed"] == nil else { return [path.isEmpty ? "*" : path] }
        return Set(members.keys).union(others.keys).sorted().flatMap { name -> [String] in
            let place = path.isEmpty ? name.text : "\(path).\(name)"
            guard let member = members[name] else { return [place] }
            return member.differingPaths(from: others[name], at: place)
        }
    }
}
