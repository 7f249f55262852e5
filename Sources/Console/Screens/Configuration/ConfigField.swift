import Project
import Tenancy

/// A member of a configuration resource as a field of a form.
struct ConfigField: Sendable {
    enum Kind: Sendable {
        case flag
        case text
        case longText
        /// A text without which the object around it is nothing; an empty field removes that object.
        case address
        /// A value that is never shown; an empty field keeps it.
        case secret
        /// A secret of several lines.
        case longSecret
        case number
        /// One of some words.
        case word([String])
        /// Some of some words.
        case words([String])
        /// Texts, one a line.
        case list
        /// Numbers with their codes, `number code` on a line; shown to those who may change them.
        case map
    }

    /// The names of the member and of the objects around it; a digit is a place in a list.
    let path: [String]
    let kind: Kind
    /// The key of its label among the texts; its hint has `.hint` behind it.
    let text: String

    init(_ path: String, _ kind: Kind, _ text: String) {
        self.path = path.split(separator: ".").map(String.init)
        self.kind = kind
        self.text = "config.\(text)"
    }

    fileprivate var name: String { path.joined(separator: ".") }

    /// The part of the path that a mask can name: members of a list are changed together.
    fileprivate var masked: [String] {
        if case .address = kind { return Array(path.dropLast()) }
        return Array(path.prefix { Int($0) == nil })
    }

    fileprivate var isInList: Bool { path.contains { Int($0) != nil } }

    fileprivate var isSecret: Bool {
        switch kind {
        case .secret, .longSecret: true
        default: false
        }
    }

    fileprivate func value(in document: JSONValue) -> JSONValue? {
        path.reduce(Optional(document)) { value, name in Int(name).map { value?[$0] } ?? value?[name] }
    }
}

/// A form of configuration members.
struct ConfigForm: Sendable {
    let fields: [ConfigField]

    /// The name of the hidden field with ``mark(of:)``.
    static let markField = "shown"

    /// A mark of the values that the form shows, by which a form is known that another's change has overtaken.
    func mark(of document: JSONValue) -> String {
        let values = fields.filter { !$0.isSecret }.map { Self.settled($0.value(in: document), $0) }
        return hexadecimal(sha256(JSONValue.array(values).canonical()))
    }

    /// The hidden field with the mark.
    func hidden(_ document: JSONValue) -> [(name: String, value: String)] {
        [(name: Self.markField, value: mark(of: document))]
    }

    /// What a posted form expects of the resource that it changes.
    ///
    func expectation(_ form: ConsoleForm) -> ExpectedResource {
        let shown = form[Self.markField]
        return ExpectedResource { constantTimeEqual(mark(of: $0 ?? [:]), shown) }
    }

    /// The labels of the fields that a posted form would have changed.
    func labels(_ form: ConsoleForm, of document: JSONValue, _ texts: ConsoleTexts) -> [String] {
        fields.filter { field in
            guard let new = try? Self.value(of: field, in: form) else { return false }
            return new != Self.settled(field.value(in: document), field)
        }.map { texts[$0.text] }
    }

    func fields(of document: JSONValue, _ texts: ConsoleTexts, mayChange: Bool) -> [Field] {
        fields.flatMap { field -> [Field] in
            let value = field.value(in: document)
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
            switch field.kind {
            case .flag: return [made(.checkbox, value?.bool == true ? "on" : "")]
            case .text: return [made(.text, value?.string ?? "")]
            case .address: return [made(.text, value?.string ?? "", isCode: true)]
            case .longText: return [made(.textArea(rows: 8), value?.string ?? "")]
            case .number: return [made(.number, value?.integer.map { "\($0)" } ?? "")]
            case .secret: return mayChange ? [made(.password, "", hint: texts["config.secret.hint"])] : []
            case .longSecret:
                return mayChange ? [made(.textArea(rows: 6), "", hint: texts["config.secret.hint"], isCode: true)] : []
            case .word(let words):
                let options = words.map { Field.Option(text: texts["config.word.\($0)"], value: $0) }
                return [made(.select(options), value?.string ?? words[0])]
            case .words(let words):
                let chosen = Set((value?.array ?? []).compactMap(\.string))
                return words.map { word in
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
            case .map:
                guard mayChange else { return [] }
                let lines = (value?.object ?? [:]).map { "\($0.key.text) \($0.value.string ?? "")" }
                return [made(.textArea(rows: 4), lines.joined(separator: "\n"), isCode: true)]
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
            guard let new = try Self.value(of: field, in: form), new != Self.settled(field.value(in: document), field) else {
                continue
            }
            let path = field.masked.joined(separator: ".")
            if !paths.contains(path) {
                paths.append(path)
                // The other members of a list stay as they are.
                if field.isInList, let list = Self.member(field.masked, of: document) {
                    body = Self.setting(list, at: field.masked[...], in: body)
                }
            }
            let isRemoved = if case .address = field.kind { new == .null } else { false }
            body = Self.setting(new, at: isRemoved ? field.masked[...] : field.path[...], in: body)
        }
        guard let mask = try FieldMask(paths.joined(separator: ",")) else { return nil }
        return (body, mask)
    }

    // `nil` keeps a secret.
    private static func value(of field: ConfigField, in form: ConsoleForm) throws -> JSONValue? {
        let text = form[field.name]
        switch field.kind {
        case .flag: return .bool(form.isChecked(field.name))
        case .text, .word: return .string(text)
        case .address: return text.isEmpty ? .null : .string(text)
        case .longText: return .string(lineFeeds(text))
        case .secret: return text.isEmpty ? nil : .string(text)
        case .longSecret: return text.isEmpty ? nil : .string(lineFeeds(text))
        case .number:
            if text.isEmpty { return .null }
            guard let number = Int64(text) else { throw InvalidArgument("\(field.name) must be a number") }
            return .integer(number)
        case .words(let words): return .array(words.filter { form.isChecked("\(field.name).\($0)") }.map(JSONValue.string))
        case .list: return .array(lines(text).map(JSONValue.string))
        case .map:
            let pairs = lines(text).map { line -> (String, JSONValue) in
                let parts = line.split(separator: " ", maxSplits: 1)
                return (String(parts[0]), .string(parts.count > 1 ? String(parts[1]) : ""))
            }
            return .object(JSONObject(naming: pairs))
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
        switch field.kind {
        case .flag: return false
        case .text, .longText, .secret, .longSecret: return ""
        case .address: return .null
        case .word(let words): return .string(words[0])
        case .number: return .null
        case .words, .list: return []
        case .map: return [:]
        }
    }

    private static func member(_ path: [String], of document: JSONValue) -> JSONValue? {
        path.reduce(Optional(document)) { $0?[$1] }
    }

    private static func setting(_ value: JSONValue, at path: ArraySlice<String>, in document: JSONValue) -> JSONValue {
        guard let name = path.first else { return value }
        if let place = Int(name) {
            var items = document.array ?? []
            while items.count <= place { items.append([:]) }
            items[place] = setting(value, at: path.dropFirst(), in: items[place])
            return .array(items)
        }
        var members = document.object ?? [:]
        members[MemberName(name)] = setting(value, at: path.dropFirst(), in: members[MemberName(name)] ?? [:])
        return .object(members)
    }
}
