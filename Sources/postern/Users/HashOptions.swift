import ArgumentParser
import Project
import UserFiles

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
    func parameters() throws -> JSONValue {
        var members: JSONObject
        do { members = try hashConfig.map(HashConfig.members) ?? [:] } catch { throw CommandFailure(error) }
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
}
