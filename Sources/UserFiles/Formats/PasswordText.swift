import Accounts
import Foundation
import Project

/// Password hashes whose text contains their parameters, as most servers store them.
enum PasswordText {
    private static let maximumBytes = 4096

    /// Sets an account's password from such a text.
    ///
    /// - Parameter text: `$2b$10$…` of bcrypt, or `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (PHC string format), or
    ///   `$fbscrypt$v=1,n=…,r=…,p=1,ss=…,sk=…$salt$hash`, in which Supabase keeps passwords that came from Firebase.
    /// - Returns: Whether Postern can verify this kind of hash.
    static func set(_ text: String, of account: inout ImportedAccount) -> Bool {
        if ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix) {
            account.passwordHash = Data(text.utf8).base64EncodedString()
            account.passwordParameters = ["hashAlgorithm": "BCRYPT"]
            return true
        }
        // Longer ones are no hashes, and an expression is for short texts.
        guard text.utf8.count <= maximumBytes else { return false }
        if text.hasPrefix("$fbscrypt$") { return setFirebase(text, of: &account) }
        let form = /\$argon2(id|i|d)\$v=([0-9]+)\$m=([0-9]+),t=([0-9]+),p=([0-9]+)\$([A-Za-z0-9+\/]+)\$([A-Za-z0-9+\/]+)/
        guard let match = text.wholeMatch(of: form), let memory = Int64(match.3), let passes = Int64(match.4),
            let lanes = Int64(match.5), let version = Int64(match.2)
        else { return false }
        account.passwordHash = String(match.7)
        account.salt = String(match.6)
        account.passwordParameters = argon2(
            type: String(match.1),
            version: version,
            memory: memory,
            passes: passes,
            lanes: lanes,
            length: Int64(match.7.count * 3 / 4)
        )
        return true
    }

    private static func setFirebase(_ text: String, of account: inout ImportedAccount) -> Bool {
        let form = /\$fbscrypt\$v=1,n=([0-9]+),r=([0-9]+),p=1(?:,ss=([^,$]+))?,sk=([^,$]+)\$([^$]+)\$([^$]+)/
        guard let match = text.wholeMatch(of: form), let cost = Int64(match.1), let rounds = Int64(match.2) else { return false }
        account.passwordHash = String(match.6)
        account.salt = String(match.5)
        var parameters: JSONValue = [
            "hashAlgorithm": "SCRYPT", "signerKey": .string(String(match.4)), "rounds": .integer(rounds),
            "memoryCost": .integer(cost),
        ]
        parameters["saltSeparator"] = match.3.map { .string(String($0)) }
        account.passwordParameters = parameters
        return true
    }

    /// The parameters of Argon2 under the names of an import.
    static func argon2(
        type: String,
        version: Int64,
        memory: Int64,
        passes: Int64,
        lanes: Int64,
        length: Int64
    ) -> JSONValue {
        [
            "hashAlgorithm": "ARGON2",
            "argon2Parameters": [
                "hashType": .string("ARGON2_\(type.uppercased())"), "version": .integer(version),
                "memoryCostKib": .integer(memory), "iterations": .integer(passes), "parallelism": .integer(lanes),
                "hashLengthBytes": .integer(length),
            ],
        ]
    }
}
