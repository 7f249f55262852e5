package import Project

/// A password as it is stored: algorithm, salt, hash.
///
/// Every value can be verified within bounded time and memory. Others cannot be made.
package struct StoredPassword: Sendable, Hashable {
    package let algorithm: PasswordAlgorithm
    package let salt: [UInt8]
    package let hash: [UInt8]

    private static let version: Int64 = 1
    private static let maximumSaltBytes = 1024
    private static let maximumTextBytes = 16_384

    /// Makes a password of an imported record. `nil` when no password can ever have that hash, because its length is wrong, it is
    /// not a bcrypt text, or its check costs too much. ``unusable(salt:hash:)`` keeps such a record.
    ///
    /// - Parameter salt: At most 1024 bytes; empty when the hash contains its own.
    package init?(algorithm: PasswordAlgorithm, salt: [UInt8], hash: [UInt8]) {
        guard salt.count <= Self.maximumSaltBytes, algorithm.implementation.fits(salt: salt, hash: hash) else { return nil }
        self.algorithm = algorithm
        self.salt = salt
        self.hash = hash
    }

    /// Keeps a record whose hash matches no password. `nil` when it is longer than any hash.
    ///
    /// - Parameter salt: At most 1024 bytes, like the hash.
    package static func unusable(salt: [UInt8], hash: [UInt8]) -> StoredPassword? {
        StoredPassword(algorithm: .unusable, salt: salt, hash: hash)
    }

    /// Makes a password of a hash that the hasher itself computed.
    init(derivedWith parameters: Argon2Parameters, salt: [UInt8], hash: [UInt8]) {
        algorithm = .argon2(parameters)
        self.salt = salt
        self.hash = hash
    }

    /// The algorithm's parameters under the names of an import request, for an export that another Postern reads.
    package var parameters: JSONValue { .object(algorithm.implementation.parameters) }

    /// The text that the store keeps: compact JSON with the parameters under the names of an import request.
    package var text: String {
        var members = algorithm.implementation.parameters
        members["v"] = .integer(Self.version)
        members["salt"] = salt.base64URL
        members["hash"] = hash.base64URL
        return JSONValue.object(members).text
    }

    /// Reads a ``text``; `nil` for any other text, and for parameters out of range, so that a manipulated store cannot make a
    /// check expensive.
    package init?(text: String) {
        guard text.utf8.count <= Self.maximumTextBytes, let json = try? JSONValue.parse(text.utf8),
            json["v"]?.integer == Self.version,
            let salt = json["salt"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let hash = json["hash"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let algorithm = try? PasswordAlgorithm(record: json)
        else { return nil }
        self.init(algorithm: algorithm, salt: salt, hash: hash)
    }

    /// Whether a password is the stored one. This is the expensive computation.
    func matches(_ password: [UInt8]) throws -> Bool {
        try algorithm.implementation.matches(password, salt: salt, hash: hash)
    }
}
