import Project
import Tenancy

/// A member of a configuration resource as a field of a form. What kind of field it is follows from the member's shape.
struct ConfigField: Sendable {
    /// The names of the member and of the objects around it; a digit is a place in a list.
    let path: [String]
    /// The key of its label among the texts; its hint has `.hint` behind it.
    let text: String
    /// The words of a list of which some may be chosen; without them a list is texts, one a line.
    let choices: [String]
    fileprivate(set) var shape = Shape.any

    /// - Parameter text: The label's key behind `config.`; the member's name unless told otherwise.
    init(_ path: String, _ text: String? = nil, choices: [String] = []) {
        self.path = path.split(separator: ".").map(String.init)
        self.text = "config.\(text ?? self.path.last ?? "")"
        self.choices = choices
    }

    fileprivate var name: String { path.joined(separator: ".") }

    /// The part of the path that a mask can name: members of a list are changed together.
    fileprivate var masked: [String] {
        isEssential ? Array(path.dropLast()) : Array(path.prefix { Int($0) == nil })
    }

    fileprivate var isInList: Bool { path.contains { Int($0) != nil } }

    fileprivate var isSecret: Bool { shape.marks.contains(.secret) }
    fileprivate var isLong: Bool { shape.marks.contains(.long) }
    /// An empty field removes the object around it.
    fileprivate var isEssential: Bool { shape.marks.contains(.essential) }
}

/// A form of configuration members.
struct ConfigForm: Sendable {
    let fields: [ConfigField]

    /// A form of members of a resource.
    init(of resource: Shape, _ fields: [ConfigField]) {
        self.fields = fields.map { field in
            var field = field
            field.shape = resource.member(at: field.path) ?? .any
            return field
        }
    }

    /// The name of the hidden field with ``mark(of:)``.
    static let markField = "shown"

    /// A mark of the values that the form shows, by which a form is known that another's change has overtaken.
    func mark(of document: JSONValue) -> String {
        let values = fields.filter { !$0.isSecret }.map { Self.settled(document.value(at: $0.path), $0) }
        return hexadecimal(sha256(JSONValue.array(values).canonical()))
    }

    /// The hidden field with the mark.
    func hidden(_ document: JSONValue) -> [(name: String, value: String)] {
        [(name: Self.markField, value: mark(of: document))]
    }

    /// What a posted form expects of the resource that it changes.
    func expectation(_ form: ConsoleForm) -> ExpectedResource {
        let shown = form[Self.markField]
        return ExpectedResource { constantTimeEqual(mark(of: $0 ?? [:]), shown) }
    }

    /// The labels of the fields that a posted form would have changed.
    func labels(_ form: ConsoleForm, of document: JSONValue, _ texts: ConsoleTexts) -> [String] {
        fields.filter { field in
            guard let new = try? Self.value(of: field, in: form) else { return false }
            return new != Self.settled(document.value(at: field.path), field)
        }.map { texts[$0.text] }
    }

    func fields(of document: JSONValue, _ texts: ConsoleTexts, mayChange: Bool) -> [Field] {
        fields.flatMap { field -> [Field] in
            let value = document.value(at: field.path)
            let hint = "\(field.text).hint"
            let shownHint = texts[hint] == hint ? nil : texts[hint]
            func made(_ kind: Field.Kind, _ value: String, hint: String? = shownHint, isCode: Bool = false) -> Field {
                Field(
                    name: field.name,
                    label: texts[field.text],
                    kind: kind,
                    value: value,
                    hint: hint,
                    isCode: isCode,
                    isReadOnly: !mayChange
                )
            }
            switch field.shape.kind {
            case .bool: return [made(.checkbox, value?.bool == true ? "on" : "")]
            case .integer: return [made(.number, value?.integer.map { "\($0)" } ?? "")]
            case .word(let words, _):
                let options = words.map { Field.Option(text: texts["config.word.\($0)"], value: $0) }
                return [made(.select(options), value?.string ?? words[0])]
            case .list where !field.choices.isEmpty:
                let chosen = Set((value?.array ?? []).compactMap(\.string))
                return field.choices.map { word in
                    Field(
                        name: "\(field.name).\(word)",
                        label: texts["config.word.\(word)"],
                        kind: .checkbox,
                        value: chosen.contains(word) ? "on" : "",
                        isReadOnly: !mayChange
                    )
                }
            case .list:
                return [made(.textArea(rows: 4), (value?.array ?? []).compactMap(\.string).joined(separator: "\n"), isCode: true)]
            // Numbers with their codes are shown to those who may change them.
            case .map:
                guard mayChange else { return [] }
                let lines = (value?.object ?? [:]).map { "\($0.key.text) \($0.value.string ?? "")" }
                return [made(.textArea(rows: 4), lines.joined(separator: "\n"), isCode: true)]
            default:
                guard field.isSecret else {
                    return [made(field.isLong ? .textArea(rows: 8) : .text, value?.string ?? "", isCode: field.isEssential)]
                }
                let kind = field.isLong ? Field.Kind.textArea(rows: 6) : .password
                return mayChange ? [made(kind, "", hint: texts["config.secret.hint"], isCode: field.isLong)] : []
            }
        }
    }

    /// What a posted form changes.
    ///
    /// - Returns: A resource with the new members, and the mask that names them; `nil` when nothing changes.
    /// - Throws: `InvalidArgument` for a text in place of a number.
    func change(_ form: ConsoleForm, of document: JSONValue) throws -> (body: JSONValue, mask: FieldMask)? {
        var (body, paths): (JSONValue, [String]) = ([:], [])
        for field in fields {
            guard let new = try Self.value(of: field, in: form), new != Self.settled(document.value(at: field.path), field) else {
                continue
            }
            let path = field.masked.joined(separator: ".")
            if !paths.contains(path) {
                paths.append(path)
                // The other members of a list stay as they are.
                if field.isInList { body = body.setting(document.value(at: field.masked) ?? [], at: field.masked) }
            }
            let isRemoved = field.isEssential && new == .null
            body = body.setting(new, at: isRemoved ? field.masked : field.path)
        }
        guard let mask = try FieldMask(paths.joined(separator: ",")) else { return nil }
        return (body, mask)
    }

    // `nil` keeps a secret.
    private static func value(of field: ConfigField, in form: ConsoleForm) throws -> JSONValue? {
        let text = form[field.name]
        switch field.shape.kind {
        case .bool: return .bool(form.isChecked(field.name))
        case .integer:
            if text.isEmpty { return .null }
            guard let number = Int64(text) else { throw InvalidArgument("\(field.name) must be a number") }
            return .integer(number)
        case .list where !field.choices.isEmpty:
            return .array(field.choices.filter { form.isChecked("\(field.name).\($0)") }.map(JSONValue.string))
        case .list: return .array(lines(text).map(JSONValue.string))
        // One pair a line.
        case .map:
            let pairs = lines(text).map { line -> (String, JSONValue) in
                let parts = line.split(separator: " ", maxSplits: 1)
                return (String(parts[0]), .string(parts.count > 1 ? String(parts[1]) : ""))
            }
            return .object(JSONObject(naming: pairs))
        default:
            if text.isEmpty, field.isSecret { return nil }
            if text.isEmpty, field.isEssential { return .null }
            return .string(field.isLong ? lineFeeds(text) : text)
        }
    }

    // Browsers end the lines of forms with two characters (HTML §4.10.21.8).
    private static func lineFeeds(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let kept = bytes.indices.filter { bytes[$0] != 0x0D || $0 + 1 == bytes.count || bytes[$0 + 1] != 0x0A }
        return String(decoding: kept.map { bytes[$0] }, as: UTF8.self)
    }

    private static func lines(_ text: String) -> [String] {
        text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { String(decoding: $0, as: UTF8.self).trimmingPrefix { $0 == " " } }
            .map(String.init).filter { !$0.isEmpty }
    }

    // A member that is missing is what an empty field says.
    private static func settled(_ value: JSONValue?, _ field: ConfigField) -> JSONValue {
        if let value { return value }
        if case .word(let words, _) = field.shape.kind { return .string(words[0]) }
        return (try? Self.value(of: field, in: ConsoleForm())) ?? ""
    }
}
