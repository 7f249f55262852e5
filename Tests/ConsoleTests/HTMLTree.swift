/// The elements of a page. It reads only what the console writes, and refuses whatever else HTML allows.
struct HTMLTree {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The positions of the elements around it, from the outermost.
        let ancestors: [Int]
        /// The text directly in it, decoded.
        var text = ""
    }

    enum Failure: Error, Equatable {
        case malformed(String)
    }

    private static let void: Set<String> = ["meta", "link", "input"]

    private(set) var elements: [Element] = []
    private var rest: Substring.UTF8View

    init(_ html: String) throws {
        guard html.utf8.starts(with: "<!DOCTYPE html>".utf8) else { throw Failure.malformed("no document type") }
        rest = html.utf8.dropFirst("<!DOCTYPE html>".utf8.count)
        var open: [Int] = []
        while !rest.isEmpty {
            let text = try Self.decoded(take { $0 != UInt8(ascii: "<") })
            if let last = open.last { elements[last].text += text }
            guard rest.popFirst() != nil else { break }
            if rest.first == UInt8(ascii: "/") {
                rest.removeFirst()
                let name = String(take { $0 != UInt8(ascii: ">") }) ?? ""
                rest = rest.dropFirst()
                guard let last = open.popLast(), elements[last].name == name else { throw Failure.malformed("</\(name)>") }
            } else {
                let element = try start(ancestors: open)
                elements.append(element)
                if !Self.void.contains(element.name) { open.append(elements.count - 1) }
            }
        }
        guard open.isEmpty else { throw Failure.malformed("an element has no end") }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> Substring.UTF8View {
        let part = rest.prefix(while: condition)
        rest = rest[part.endIndex...]
        return part
    }

    private mutating func start(ancestors: [Int]) throws -> Element {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
        let isName: (UInt8) -> Bool = { letters.contains($0) }
        let name = String(take(while: isName)) ?? ""
        guard !name.isEmpty else { throw Failure.malformed("a `<` begins no element") }
        var attributes: [String: String] = [:]
        while true {
            _ = take { $0 == 0x20 || $0 == 0x0A }
            if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
            if rest.first == UInt8(ascii: ">") {
                rest.removeFirst()
                return Element(name: name, attributes: attributes, ancestors: ancestors)
            }
            let attribute = String(take(while: isName)) ?? ""
            guard !attribute.isEmpty, attributes[attribute] == nil else { throw Failure.malformed("\(name): \(attribute)") }
            attributes[attribute] = ""
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            guard rest.popFirst() == UInt8(ascii: "\"") else { throw Failure.malformed("\(name): no quote") }
            attributes[attribute] = try Self.decoded(take { $0 != UInt8(ascii: "\"") })
            rest = rest.dropFirst()
        }
    }

    private static func decoded(_ bytes: Substring.UTF8View) throws -> String {
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                output.append(byte)
                continue
            }
            let entities = ["amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'"]
            guard let found = entities.first(where: { rest.starts(with: $0.key.utf8) }) else {
                throw Failure.malformed("a bare `&`")
            }
            output.append(contentsOf: found.value.utf8)
            rest = rest.dropFirst(found.key.utf8.count)
        }
        return String(decoding: output, as: UTF8.self)
    }

    subscript(name: String) -> [Element] { elements.filter { $0.name == name } }

    /// Names of elements and attributes, without any value: what texts must not change.
    var structure: [String] {
        elements.map { ([String($0.ancestors.count), $0.name] + $0.attributes.keys.sorted()).joined(separator: " ") }
    }

    var texts: [String] { elements.flatMap { [$0.text] + $0.attributes.values } }

    func fullText(_ index: Int) -> String {
        elements[index].text
            + elements.indices.filter { elements[$0].ancestors.contains(index) }.map { elements[$0].text }.joined()
    }
}
