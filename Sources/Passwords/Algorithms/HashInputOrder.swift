import Project

/// Whether the salt comes before or after the password (`passwordHashOrder`, `Docs/Contract/admin-accounts.md` §10).
package enum HashInputOrder: Int, Sendable, Hashable {
    case saltFirst = 1
    case passwordFirst = 2

    private static let names = ["UNSPECIFIED_ORDER", "SALT_AND_PASSWORD", "PASSWORD_AND_SALT"]

    /// - Throws: ``APIError`` with `INVALID_HASH_ALGORITHM` for an unknown order.
    init(reading parameters: HashParameters, default fallback: HashInputOrder) throws {
        let index = try parameters.enumeration("passwordHashOrder", of: Self.names, or: .invalidHashAlgorithm)
        self = HashInputOrder(rawValue: index) ?? fallback
    }

    /// The order as a parameter of a stored password.
    var parameter: JSONValue { .string(Self.names[rawValue]) }

    /// The two parts in order.
    func join(password: [UInt8], salt: [UInt8]) -> [UInt8] {
        self == .saltFirst ? salt + password : password + salt
    }
}
