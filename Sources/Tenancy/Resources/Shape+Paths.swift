import OrderedCollections
package import Project

extension Shape {
    /// The target of a path in a mask.
    enum Target: Sendable, Hashable {
        /// A member that may be set, with its path in canonical spelling.
        case member([String])
        /// A member that only the server writes.
        case outputOnly
        /// No member: the name is unknown, or the path goes into a text, number or list.
        case nowhere
    }

    /// Follows a path. Its names may be in camel or snake case.
    func target(of path: [String]) -> Target {
        var shape = self
        var canonical: [String] = []
        for name in path {
            switch shape.kind {
            case .object(let members):
                let camel = MemberSpelling.camel(name)
                guard let member = members[camel] else { return .nowhere }
                canonical.append(camel)
                shape = member
            case .map(let member):
                canonical.append(name)
                shape = member
            default: return .nowhere
            }
            if shape.marks.contains(.outputOnly) { return .outputOnly }
        }
        return canonical.isEmpty ? .nowhere : .member(canonical)
    }

    /// The paths of the members that are secrets. They are sealed before the resource is stored.
    var secretPaths: [[String]] {
        guard case .object(let members) = kind else { return [] }
        return members.flatMap { name, member in
            (member.marks.contains(.secret) ? [[name]] : []) + member.secretPaths.map { [name] + $0 }
        }
    }

    /// The shape of a member; a digit in its path is a place in a list.
    package func member(at path: some Collection<String>) -> Shape? {
        guard let name = path.first else { return self }
        let member: Shape? =
            switch kind {
            case .object(let members): members[name]
            case .map(let shape): shape
            case .list(let shape, _): Int(name).map { _ in shape }
            default: nil
            }
        return member?.member(at: path.dropFirst())
    }
}
