import ArgumentParser
import Foundation
import Project

/// The parameters of the hashes in a file, under the names of `firebase auth:import` (`Docs/Contract/admin-accounts.md` §17.3).
struct HashOptions: ParsableArguments {
    @Option(help: "The algorithm of the file's hashes: SCRYPT, STANDARD_SCRYPT, BCRYPT, PBKDF2_SHA256, HMAC_SHA256…")
    var hashAlgo: String?
    @Option(help: "The signer key in base64. Everybody on the machine sees it here; --hash-config keeps it in a file.")
    var hashKey: String?
    @Option(help: "The salt separator in base64.") var saltSeparator: String?
    @Option(help: "The rounds.") var rounds: Int64?
    @Option(help: "The memory cost of SCRYPT, or N of STANDARD_SCRYPT.") var memCost: Int64?
    @Option(help: "The parallelization of STANDARD_SCRYPT.") var parallelization: Int64?
    @Option(help: "The block size of STANDARD_SCRYPT.") var blockSize: Int64?
    @Option(help: "The length of STANDARD_SCRYPT's keys.") var dkLen: Int64?
    @Option(name: [.customLong("hash-input-order"), .customLong("password-hash-order")], help: "SALT_FIRST or PASSWORD_FIRST.")
    var hashInputOrder: String?
    @Option(help: "A file with the parameters: Firebase's hash_config block, or its JSON form.") var hashConfig: String?

    /// The parameters as members of an import request.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read, or an unknown order.
    func parameters() throws -> JSONValue {
        var members = try hashConfig.map(Self.members) ?? [:]
        let algorithm = hashAlgo?.uppercased() ?? members["hashAlgorithm"]?.string
        members["hashAlgorithm"] = algorithm.map(JSONValue.string)
        if let hashKey { members["signerKey"] = .string(hashKey) }
        if let saltSeparator { members["saltSeparator"] = .string(saltSeparator) }
        for (name, value) in [
            ("rounds", rounds), ("parallelization", parallelization), ("blockSize", blockSize), ("dkLen", dkLen),
            (algorithm == "STANDARD_SCRYPT" ? "cpuMemCost" : "memoryCost", memCost),
        ] {
            if let value { members[name] = .integer(value) }
        }
        switch hashInputOrder {
        case nil: break
        case "SALT_FIRST", "SALT_AND_PASSWORD": members["passwordHashOrder"] = "SALT_AND_PASSWORD"
        case "PASSWORD_FIRST", "PASSWORD_AND_SALT": members["passwordHashOrder"] = "PASSWORD_AND_SALT"
        default: throw CommandFailure("--hash-input-order is SALT_FIRST or PASSWORD_FIRST")
        }
        return .object(members)
    }

    // The names of the console, and of the API's answers, for the names of requests.
    private static let names = [
        "algorithm": "hashAlgorithm", "base64_signer_key": "signerKey", "base64_salt_separator": "saltSeparator",
        "mem_cost": "memoryCost",
    ]

    private static func members(path: String) throws -> JSONObject {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure("cannot read \(path.shownPath)")
        }
        var found: JSONObject = [:]
        if let document = try? JSONValue.parse(text.utf8) {
            found = (document["hashConfig"] ?? document["hash_config"] ?? document).object ?? [:]
        } else {
            for match in text.matches(of: /([A-Za-z0-9_]+)\s*[:=]\s*"?([^",\s}{]+)/) where match.1 != "hash_config" {
                found[String(match.1)] = .string(String(match.2))
            }
        }
        guard !found.isEmpty else { throw CommandFailure("\(path) has no hash parameters") }
        return JSONObject(naming: found.map { (names[$0.key.text] ?? $0.key.text, $0.value) })
    }
}
