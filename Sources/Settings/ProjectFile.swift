package import Project
import Yams

/// The declarative project configuration: a YAML file in the shapes of the v2 REST resources.
package enum ProjectFile {
    /// Reads a file and replaces every `{env: NAME}` and `{file: PATH}`.
    ///
    /// A reference is a map with that single key. A referenced file is UTF-8 text, and one line end at its end is removed. A
    /// relative path starts at the working directory. Plain scalars are typed as in JSON (`true`, `12`, `1.5`, `null`), and
    /// everything else is text: the region `NO` stays a region, the code `012345` keeps its zero.
    ///
    /// - Returns: The content, in which a value with a fault is `null`, and every fault. No fault quotes the value of a
    ///   reference.
    package static func read(
        path: String,
        environment: [String: String],
        surroundings: Surroundings = .ofProcess
    ) throws -> (value: JSONValue, problems: [SettingsProblem]) {
        let yaml = try YAMLFile(path: path, in: surroundings.workingDirectory)
        guard let root = yaml.root, !root.isNull else { return (.object([:]), []) }
        var resolution = Resolution(yaml: yaml, environment: environment, directory: surroundings.workingDirectory)
        let value = resolution.value(root, at: "")
        if root.mapping == nil { resolution.refuse("", "expected a map at the top", root) }
        return (value, resolution.problems)
    }
}

private struct Resolution {
    /// Bounds the expansion of nested aliases.
    static let maxNodes = 100_000
    /// The largest referenced file. Keys and certificates are far smaller.
    static let maxReferencedBytes = 1 << 16

    let yaml: YAMLFile
    let environment: [String: String]
    let directory: String
    var problems: [SettingsProblem] = []
    private var visited = 0

    init(yaml: YAMLFile, environment: [String: String], directory: String) {
        self.yaml = yaml
        self.environment = environment
        self.directory = directory
    }

    mutating func refuse(_ path: String, _ message: String, _ node: Node) {
        problems.append(
            SettingsProblem(subject: path.isEmpty ? yaml.path : path, message: message, origin: yaml.place(node))
        )
    }

    mutating func value(_ node: Node, at path: String) -> JSONValue {
        visited += 1
        guard visited <= Self.maxNodes else {
            if visited == Self.maxNodes + 1 { refuse(path, "more than \(Self.maxNodes) values", node) }
            return .null
        }
        switch node {
        case .scalar(let scalar):
            return self.scalar(scalar, node, at: path)
        case .sequence(let sequence):
            var items: [JSONValue] = []
            for (index, item) in sequence.enumerated() { items.append(value(item, at: "\(path)[\(index)]")) }
            return .array(items)
        case .mapping(let mapping):
            return reference(mapping, node, at: path) ?? object(mapping, at: path)
        case .alias:
            refuse(path, "expected a value, found an unresolved alias", node)
            return .null
        }
    }

    private mutating func object(_ mapping: Node.Mapping, at path: String) -> JSONValue {
        var fields: JSONObject = [:]
        for (keyNode, item) in mapping {
            guard let key = keyNode.scalar?.string, key != "<<" else {
                refuse(path, "expected a key that is text; merge keys are not supported", keyNode)
                continue
            }
            let itemPath = path.isEmpty ? key : "\(path).\(key)"
            // The parser distinguishes the keys `1` and `"1"`, but JSON does not.
            if fields.updateValue(value(item, at: itemPath), forKey: MemberName(key)) != nil {
                refuse(itemPath, "written twice", keyNode)
            }
        }
        return .object(fields)
    }

    /// The value of a reference; `nil` when the map is not a reference.
    private mutating func reference(_ mapping: Node.Mapping, _ node: Node, at path: String) -> JSONValue? {
        guard mapping.count == 1, let (keyNode, valueNode) = mapping.first else { return nil }
        guard let kind = keyNode.scalar?.string, kind == "env" || kind == "file" else { return nil }
        guard let name = valueNode.scalar?.string, !valueNode.isNull, !name.isEmpty else {
            refuse(path, "expected the name of \(kind == "env" ? "an environment variable" : "a file") after `\(kind)`", node)
            return .null
        }
        if kind == "env" {
            if let value = environment[name], !value.isEmpty { return .string(value) }
            refuse(path, "the environment variable \(name) is not set", node)
        } else {
            do {
                var text = try YAMLFile.text(of: name, in: directory, limit: Self.maxReferencedBytes)
                // CRLF is a single `Character`.
                if text.last?.isNewline == true { text.removeLast() }
                return .string(text)
            } catch let error as SettingsError {
                for problem in error.problems { refuse(path, "the file \(problem.subject): \(problem.message)", node) }
            } catch {
                refuse(path, "the file \(name) cannot be read", node)
            }
        }
        return .null
    }

    private mutating func scalar(_ scalar: Node.Scalar, _ node: Node, at path: String) -> JSONValue {
        let isPlain = scalar.style == .plain || scalar.style == .any
        switch scalar.tag.description {
        case "" where isPlain:
            return plain(scalar.string)
        case "", "!", "tag:yaml.org,2002:str":
            return .string(scalar.string)
        default:
            refuse(path, "YAML tags other than `!!str` are not supported", node)
            return .null
        }
    }

    private func plain(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        // RFC 8259 §6. For most text the first character decides, without the pattern.
        guard let first = text.first, first == "-" || first.isNumber,
            text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
        else { return .string(text) }
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return .string(text) }
        return .number(number)
    }
}
