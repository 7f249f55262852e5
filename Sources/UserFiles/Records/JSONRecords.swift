import Project

/// The objects of a JSON file: the elements of one member's list, the elements of a list that is the whole file, or objects one
/// after the other, as in exports with one object per line.
struct JSONRecords: FileRecords {
    private enum State {
        case start, inList, betweenObjects, end
    }

    private var bytes: FileBytes
    private let member: String?
    private let isOptional: Bool
    private var first: FileRecord?
    private var state = State.start
    private var isInObject = false
    private var hasElements = false
    private var foundMember = false

    private static let maximumName = 1024

    /// - Parameters:
    ///   - member: The member of the file's object that holds the list; `nil` for files of objects one after the other. A file
    ///     that is a list is read in both cases.
    ///   - isOptional: Whether an object without that member is the first of objects one after the other.
    init(_ bytes: FileBytes, member: String?, isOptional: Bool = false) {
        self.bytes = bytes
        self.member = member
        self.isOptional = isOptional
    }

    var offset: UInt64 { bytes.offset }

    mutating func next() throws -> FileRecord? {
        while true {
            try skipSpace()
            switch state {
            case .start: try begin()
            case .inList:
                if let record = try element() { return record }
            case .betweenObjects:
                if let record = first {
                    first = nil
                    return record
                }
                guard try bytes.peek() != nil else {
                    state = .end
                    continue
                }
                return try record()
            case .end:
                guard try bytes.peek() == nil else { throw fault("there is more behind the end") }
                return nil
            }
        }
    }

    private mutating func begin() throws {
        switch try bytes.peek() {
        case UInt8(ascii: "["):
            try beginList()
        case UInt8(ascii: "{") where member == nil: state = .betweenObjects
        case UInt8(ascii: "{") where isOptional: try beginObject()
        case UInt8(ascii: "{"):
            _ = try bytes.next()
            isInObject = true
            try findMember()
        case nil where member == nil: state = .end
        default: throw fault("expected a JSON object or list")
        }
    }

    // Skips the members before and after the list.
    private mutating func findMember() throws {
        while true {
            try skipSpace()
            switch try bytes.next() {
            case UInt8(ascii: "}"):
                guard foundMember else { throw fault("there is no member \(member ?? "")") }
                state = .end
                return
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "\""): break
            case nil: throw cut
            default: throw fault("expected a member's name")
            }
            let name = try name()
            try expectValue()
            if name == member, try bytes.peek() == UInt8(ascii: "[") {
                guard !foundMember else { throw fault("the member \(name) is there twice") }
                return try beginList()
            }
            _ = try value(keeping: false)
        }
    }

    // The first object has the list, or it is a record itself.
    private mutating func beginObject() throws {
        let line = bytes.line
        _ = try bytes.next()
        var text = Array("{".utf8)
        var isWhole = true
        while true {
            try skipSpace()
            guard let byte = try bytes.next() else { throw cut }
            if byte == UInt8(ascii: "}") { break }
            if byte == UInt8(ascii: ",") {
                text.append(byte)
                continue
            }
            guard byte == UInt8(ascii: "\"") else { throw fault("expected a member's name") }
            let name = try name()
            try expectValue()
            if name == member, try bytes.peek() == UInt8(ascii: "[") {
                isInObject = true
                return try beginList()
            }
            let value = try value(keeping: isWhole)
            if let value { text += Array("\"\(name)\":".utf8) + value }
            isWhole = value != nil && text.count <= FileRecord.maximumBytes
        }
        bytes.endRecord()
        state = .betweenObjects
        let members = isWhole ? (try? JSONValue.parse(text + Array("}".utf8)))?.object : nil
        first = FileRecord(
            line: line,
            content: members.map { .object($0) } ?? .unreadable("the record is too large, or is not JSON")
        )
    }

    private mutating func expectValue() throws {
        try skipSpace()
        guard try bytes.next() == UInt8(ascii: ":") else { throw fault("expected ':'") }
        try skipSpace()
    }

    private mutating func beginList() throws {
        _ = try bytes.next()
        (foundMember, hasElements, state) = (true, false, .inList)
    }

    private mutating func name() throws -> String {
        var name: [UInt8] = []
        var isEscaped = false
        while let byte = try bytes.next() {
            if !isEscaped, byte == UInt8(ascii: "\"") { return String(decoding: name, as: UTF8.self) }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if name.count < Self.maximumName { name.append(byte) }
        }
        throw cut
    }

    private mutating func element() throws -> FileRecord? {
        switch try bytes.peek() {
        case nil: throw cut
        case UInt8(ascii: "]"):
            _ = try bytes.next()
            if isInObject { try findMember() } else { state = .end }
            return nil
        case UInt8(ascii: ","):
            guard hasElements else { throw fault("a list begins with ','") }
            _ = try bytes.next()
            hasElements = false
            return nil
        default:
            guard !hasElements else { throw fault("expected ',' or ']'") }
            hasElements = true
            return try record()
        }
    }

    private mutating func record() throws -> FileRecord {
        let line = bytes.line
        defer { bytes.endRecord() }
        guard let text = try value(keeping: true) else {
            return FileRecord(line: line, content: .unreadable("the record is larger than \(FileRecord.maximumBytes) bytes"))
        }
        guard let document = try? JSONValue.parse(text) else {
            return FileRecord(line: line, content: .unreadable("the record is not JSON in UTF-8"))
        }
        guard let members = document.object else {
            return FileRecord(line: line, content: .unreadable("the record is not a JSON object"))
        }
        return FileRecord(line: line, content: .object(members))
    }

    // The bytes of one value; `nil` for a value that is not kept or is too large.
    private mutating func value(keeping: Bool) throws -> [UInt8]? {
        var text: [UInt8] = []
        var (size, depth) = (0, 0)
        var (isInText, isEscaped) = (false, false)
        while let byte = try bytes.peek() {
            if depth == 0, !isInText, size > 0 {
                // A number or a word ends at the first byte that cannot belong to it.
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x09, 0x0A, 0x0D: return text
                default: break
                }
            }
            _ = try bytes.next()
            size += 1
            if keeping, size <= FileRecord.maximumBytes { text.append(byte) }
            if isInText {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: continue
                }
            }
            if depth < 0 { throw fault("unexpected end of an object or list") }
            if depth == 0, !isInText { return keeping && size <= FileRecord.maximumBytes ? text : nil }
        }
        guard depth == 0, !isInText, size > 0 else { throw cut }
        return text
    }

    private mutating func skipSpace() throws {
        while let byte = try bytes.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { _ = try bytes.next() }
    }

    private var cut: MalformedFile { fault("the file ends in the middle") }

    private func fault(_ reason: String) -> MalformedFile { MalformedFile(line: bytes.line, reason: reason) }
}
