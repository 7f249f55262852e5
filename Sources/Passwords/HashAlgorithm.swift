import Project

/// The interface of each algorithm's file. ``PasswordAlgorithm`` lists the algorithms.
///
/// A value is checked when it is made, so that every computation with it has bounded time and memory.
protocol HashAlgorithm: Sendable {
    /// The algorithm and its parameters under the names of an import request.
    var parameters: JSONObject { get }

    /// Whether a salt and a hash can belong to this algorithm.
    func fits(salt: [UInt8], hash: [UInt8]) -> Bool

    /// What a check of that hash costs at most, as a multiple of a hash with ``Argon2Parameters/owasp``: an estimate that is the same on
    /// every node.
    func cost(hash: [UInt8]) -> Double

    /// Whether a password has that hash. The comparison takes constant time.
    ///
    /// - Parameters:
    ///   - password: In UTF-8, exactly as it was sent.
    ///   - salt: Salt and hash must pass ``fits(salt:hash:)``.
    /// - Throws: ``HashingFailure`` when the library cannot compute the hash, for example for lack of memory.
    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool
}

/// A hash could not be computed. This tells nothing about the password.
struct HashingFailure: Error {
    /// The algorithm, as imports name it.
    let algorithm: String
    /// The library's own code; 0 when it has none.
    let code: Int32
}

extension Array where Element == UInt8 {
    /// The bytes in the form that the parameters of a stored password use.
    var base64URL: JSONValue { .string(Base64URL.encode(self)) }
}
