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

    /// Reads a file.
    ///
    /// - Parameter path: The file.
    /// - Returns: The parameters as members of an import request.
    /// - Throws: ``FileBytes/Unreadable``, ``Empty``.
    package static func members(of path: String) throws -> JSONObject {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw FileBytes.Unreadable(path: path) }
        let found = parse(text)
        guard !found.isEmpty else { throw Empty(path: path) }
        return found
    }

    /// Reads the text of such a file.
    ///
    /// - Returns: The parameters as members of an import request; none where the text has none.
    package static func parse(_ text: String) -> JSONObject {
        var found: JSONObject = [:]
        if let document = try? JSONValue.parse(text.utf8) {
            found = (document["hashConfig"] ?? document["hash_config"] ?? document).object ?? [:]
        } else {
            for match in text.matches(of: /([A-Za-z0-9_]+)\s*[:=]\s*"?([^",\s}{]+)/) where match.1 != "hash_config" {
                found[String(match.1)] = .string(String(match.2))
            }
        }
        return JSONObject(naming: found.map { (names[$0.key.text] ?? $0.key.text, $0.value) })
    }
}
