package import Project

/// One hash algorithm with its parameters, as imports name them (`Docs/Contract/admin-accounts.md` §10).
///
/// Adding an algorithm is one file in `Algorithms`, one case here and one line in each of the two switches.
package enum PasswordAlgorithm: Sendable, Hashable {
    case argon2(Argon2Parameters)
    case firebaseScrypt(FirebaseScryptParameters)
    case standardScrypt(StandardScryptParameters)
    case bcrypt
    case pbkdf2(PBKDF2Parameters)
    case hmac(HMACParameters)
    case digest(DigestParameters)
    /// The hash matches no password.
    case unusable

    /// The members of an import request that choose an algorithm, with the parameters of all algorithms.
    package static let parameterNames = [
        "hashAlgorithm", "signerKey", "saltSeparator", "rounds", "memoryCost", "cpuMemCost", "blockSize", "parallelization",
        "dkLen", "passwordHashOrder", "argon2Parameters",
    ]

    /// Reads `hashAlgorithm` and its parameters from an import request; other members are ignored.
    ///
    /// - Throws: ``APIError`` with `MISSING_HASH_ALGORITHM` or one of the `INVALID_HASH_…` codes.
    package init(importing request: JSONValue) throws {
        try self.init(reading: HashParameters(request), bounds: .requested)
    }

    /// Reads the parameters that a row of an operator's file has for itself. They may cost more than the parameters of a request,
    /// because other servers use costlier ones.
    ///
    /// - Parameter record: `PBKDF2_SHA512` and `UNUSABLE` are known too.
    package init(record: JSONValue) throws {
        try self.init(reading: HashParameters(record), bounds: .stored)
    }

    /// How much work the parameters of a hash may ask for.
    struct Bounds: Sendable {
        /// Memory of Argon2, in KiB.
        let argon2Memory: ClosedRange<Int>
        let pbkdf2Rounds: ClosedRange<Int>
        /// Whether algorithms are known that Firebase does not import: PBKDF2 with SHA-512, and hashes that match no password.
        let knowsOthers: Bool

        /// For requests (`Docs/Contract/admin-accounts.md` §10).
        static let requested = Bounds(
            argon2Memory: Argon2Parameters.importedMemory,
            pbkdf2Rounds: PBKDF2Parameters.importedRounds,
            knowsOthers: false
        )
        /// For the store, and for files that an operator imports.
        static let stored = Bounds(
            argon2Memory: Argon2Parameters.configuredMemory,
            pbkdf2Rounds: PBKDF2Parameters.storedRounds,
            knowsOthers: true
        )
    }

    init(reading parameters: HashParameters, bounds: Bounds) throws {
        guard let name = parameters.value("hashAlgorithm")?.string, !name.isEmpty else {
            throw APIError(.missingHashAlgorithm)
        }
        switch name {
        case "ARGON2": self = .argon2(try Argon2Parameters(reading: parameters, memory: bounds.argon2Memory))
        case "SCRYPT": self = .firebaseScrypt(try FirebaseScryptParameters(reading: parameters))
        case "STANDARD_SCRYPT": self = .standardScrypt(try StandardScryptParameters(reading: parameters))
        case "BCRYPT": self = .bcrypt
        // The first name is Firebase's. The second is the usual one.
        case "PBKDF_SHA1", "PBKDF2_SHA1": self = .pbkdf2(try PBKDF2Parameters(.sha1, reading: parameters, bounds.pbkdf2Rounds))
        case "PBKDF2_SHA256": self = .pbkdf2(try PBKDF2Parameters(.sha256, reading: parameters, bounds.pbkdf2Rounds))
        case "PBKDF2_SHA512" where bounds.knowsOthers:
            self = .pbkdf2(try PBKDF2Parameters(.sha512, reading: parameters, bounds.pbkdf2Rounds))
        case UnusableHash.name where bounds.knowsOthers: self = .unusable
        default:
            if let function = DigestFunction(rawValue: name) {
                self = .digest(try DigestParameters(function, reading: parameters))
            } else if name.hasPrefix("HMAC_"), let function = DigestFunction(rawValue: String(name.dropFirst(5))) {
                self = .hmac(try HMACParameters(function, reading: parameters))
            } else {
                throw APIError(.invalidHashAlgorithm)
            }
        }
    }

    /// The implementation of the algorithm.
    var implementation: any HashAlgorithm {
        switch self {
        case .argon2(let parameters): parameters
        case .firebaseScrypt(let parameters): parameters
        case .standardScrypt(let parameters): parameters
        case .bcrypt: Bcrypt()
        case .pbkdf2(let parameters): parameters
        case .hmac(let parameters): parameters
        case .digest(let parameters): parameters
        case .unusable: UnusableHash()
        }
    }
}
