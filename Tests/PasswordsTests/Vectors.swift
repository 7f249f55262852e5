import Project
import Testing

@testable import Passwords

/// A stored password whose hash is given in hexadecimal.
func stored(_ parameters: JSONValue, salt: String, hash: String) throws -> StoredPassword {
    try imported(parameters, salt: Array(salt.utf8), hash: bytes(hash))
}

func imported(_ parameters: JSONValue, salt: [UInt8], hash: [UInt8]) throws -> StoredPassword {
    try #require(StoredPassword(algorithm: PasswordAlgorithm(importing: parameters), salt: salt, hash: hash))
}

/// Expects that a password matches the stored hash, and that similar ones do not.
func expectOnly(_ password: String, matches stored: StoredPassword, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let password = Array(password.utf8)
    #expect(try stored.matches(password), sourceLocation: sourceLocation)
    for wrong in [password + [UInt8(ascii: "x")], Array(password.dropLast()) + [1], [UInt8(ascii: " ")] + password] {
        #expect(try !stored.matches(wrong), sourceLocation: sourceLocation)
    }
}

func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.utf8).map { $0 > 57 ? $0 - 87 : $0 - 48 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The error code of parameters that are refused; `nil` when they are not.
func refusal(of parameters: JSONValue) -> ErrorCode? {
    do {
        _ = try PasswordAlgorithm(importing: parameters)
        return nil
    } catch {
        return (error as? APIError)?.code
    }
}
