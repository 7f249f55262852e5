import Foundation
package import Project

/// A file with the parameters of hashes: Firebase's `hash_config` block, or its JSON form
/// (`Docs/Contract/admin-accounts.md` §17.3).
package enum HashConfig {
    /// The file has no parameters.
    struct Empty: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) has no hash parameters" }
    }

    // The names of the console, and of the API's answers, for the names of requests.
    private static let names = [
        "algorithm": "hashAlgorithm", "base64_signer_key": "signerKey", "base64_salt_separator": "saltSeparator",
        "mem_cost": "memoryCost",
    ]

    /// The largest text of parameters in bytes. Keys have at most a thousand.
    package static let maximumBytes = 4096
    // The file may be the whole configuration of a project.
    private static let maximumFile = 1 << 20
    private static let maximumName = 64

    /// Reads a file.
    package static func members(of path: String) throws -> JSONObject {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: maximumFile) ?? Data(), let text = String(validating: data, as: UTF8.self)
        else { throw FileBytes.Unreadable(path: path) }
        let found = parse(text)
        guard !found.isEmpty else { throw Empty(path: path) }
        return found
    }

    /// Reads the text of such a file.
    package static func parse(_ text: String) -> JSONObject {
        let found: JSONObject
        if let document = try? JSONValue.parse(text.utf8) {
            found = (document["hashConfig"] ?? document["hash_config"] ?? document).object ?? [:]
        } else {
            found = pairs(Array(text.utf8))
        }
        return JSONObject(naming: found.map { (names[$0.key.text] ?? $0.key.text, $0.value) })
    }

    // `name: value` and `name = "value"`, wherever they stand. Each byte is looked at once: a text that an expression would search again
    // and again costs no more than another.
    private static func pairs(_ bytes: [UInt8]) -> JSONObject {
        var found: JSONObject = [:]
        var rest = bytes[...]
        while !rest.isEmpty {
            let name = rest.prefix(while: isName)
            rest = rest.dropFirst(max(name.count, 1))
            guard (1...maximumName).contains(name.count) else { continue }
            rest = rest.drop(while: isSpace)
            guard let sign = rest.first, sign == UInt8(ascii: ":") || sign == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isSpace)
            if rest.first == UInt8(ascii: "\"") { rest = rest.dropFirst() }
            let value = rest.prefix { !isSpace($0) && !ends.contains($0) }
            rest = rest.dropFirst(value.count)
            let text = String(decoding: name, as: UTF8.self)
            if !value.isEmpty, text != "hash_config" { found[text] = .string(String(decoding: value, as: UTF8.self)) }
        }
        return found
    }

    private static let ends = Array("\",{}".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
