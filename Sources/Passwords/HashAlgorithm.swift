import Project

/// What each algorithm's file offers; ``PasswordAlgorithm`` lists them.
///
/// A value has been checked when it was made: whatever it is asked to compute costs a bounded time and memory.
protocol HashAlgorithm: Sendable {
    /// The algorithm and its parameters under the names of an import request.
    var parameters: JSONObject { get }

    /// Whether a salt and a hash can be of this algorithm at all.
    func fits(salt: [UInt8], hash: [UInt8]) -> Bool

    /// Whether a password has that hash; compares in constant time.
    ///
    /// - Parameters:
    ///   - password: The password in UTF-8, exactly as it was sent.
    ///   - salt: A salt that ``fits(salt:hash:)``.
    ///   - hash: A hash that ``fits(salt:hash:)``.
    /// - Returns: Whether they match.
    /// - Throws: ``HashingFailure`` when the library cannot compute it, for want of memory for example.
    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool
}

/// A hash that could not be computed. It says nothing of the password.
struct HashingFailure: Error {
    /// The algorithm, as imports name it.
    let algorithm: String
    /// The library's own code, 0 where it has none.
    let code: Int32
}

extension Array where Element == UInt8 {
    /// The bytes as the parameters of a stored password carry them.
    var base64URL: JSONValue { .string(Base64URL.encode(self)) }
}
