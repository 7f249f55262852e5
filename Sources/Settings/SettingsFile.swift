import Project
import Yams

/// A settings file: its keys, their positions and their values.
struct SettingsFile {
    /// A key with a value or with an empty map.
    struct Entry {
        let key: String
        let origin: SettingsOrigin
        let kind: Kind
        let node: Node
    }

    /// The kind of a key's value.
    enum Kind {
        /// Written but empty, which means unset, for example a section in which every line is commented out.
        case null
        case scalar
        case list
        case emptyMap
    }

    /// The path as it was given.
    let path: String
    /// Every key without further keys below it, in the order of the file.
    let entries: [Entry]
    /// Structures that no setting has.
    let problems: [SettingsProblem]

    /// Bounds the expansion of nested aliases.
    private static let maxNodes = 10_000

    init(path: String, in directory: String) throws {
        let yaml = try YAMLFile(path: path, in: directory)
        var walk = Walk(yaml: yaml)
        if let root = yaml.root, !root.isNull {
            if let mapping = root.mapping {
                walk.map(mapping, prefix: [])
            } else {
                walk.refuse(path, "expected a map of sections at the top", root)
            }
        }
        self.path = path
        entries = walk.entries
        problems = walk.problems
    }

    private struct Walk {
        let yaml: YAMLFile
        var entries: [Entry] = []
        var problems: [SettingsProblem] = []
        var keys: Set<String> = []
        var visited = 0

        init(yaml: YAMLFile) {
            self.yaml = yaml
        }

        mutating func refuse(_ subject: String, _ message: String, _ node: Node) {
            problems.append(SettingsProblem(subject: subject, message: message, origin: yaml.place(node)))
        }

        mutating func map(_ mapping: Node.Mapping, prefix: [String]) {
            for (keyNode, value) in mapping {
                visited += 1
                guard visited <= maxNodes else {
                    if visited == maxNodes + 1 { refuse(yaml.path, "more than \(maxNodes) values", value) }
                    return
                }
                guard let name = keyNode.scalar?.string else {
                    refuse(prefix.isEmpty ? yaml.path : prefix.joined(separator: "."), "expected a key that is text", keyNode)
                    continue
                }
                leafOrMap(value, path: prefix + [name], keyNode: keyNode)
            }
        }

        private mutating func leafOrMap(_ value: Node, path: [String], keyNode: Node) {
            let key = path.joined(separator: ".")
            if let mapping = value.mapping, !mapping.isEmpty {
                return map(mapping, prefix: path)
            }
            // `server: {port: 1}` and `server.port: 2` are the same key.
            guard keys.insert(key).inserted else { return refuse(key, "written twice", keyNode) }
            if let list = value.sequence {
                visited += list.count
                guard list.allSatisfy({ $0.scalar != nil }) else {
                    return refuse(key, "expected a list of plain values, found a list of lists or maps", value)
                }
                entries.append(Entry(key: key, origin: yaml.place(value), kind: .list, node: value))
            } else if value.mapping != nil {
                entries.append(Entry(key: key, origin: yaml.place(value), kind: .emptyMap, node: value))
            } else {
                let origin = yaml.place(value.isNull ? keyNode : value)
                entries.append(Entry(key: key, origin: origin, kind: value.isNull ? .null : .scalar, node: value))
            }
        }
    }
}

extension Node {
    /// Whether the node is YAML's null (YAML 1.2 §10.3.2): empty, `~` or `null`, unquoted.
    var isNull: Bool {
        guard let scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
