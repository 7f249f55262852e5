import Project

/// `HMAC_SHA512`, `HMAC_SHA256`, `HMAC_SHA1` and `HMAC_MD5`: a keyed digest of password and salt
/// (`Docs/Contract/admin-accounts.md` §10, RFC 2104). For imported records only.
package struct HMACParameters: Sendable, Hashable {
    package let function: DigestFunction
    package private(set) var signerKey: [UInt8]
    package let order: HashInputOrder

    /// - Throws: ``APIError`` with `INVALID_HASH_KEY`, or `INVALID_HASH_ALGORITHM` for an unknown order.
    init(_ function: DigestFunction, reading parameters: HashParameters) throws {
        self.function = function
        signerKey = try parameters.signerKey()
        order = try HashInputOrder(reading: parameters, default: .passwordFirst)
    }

    // The longest key that HMAC uses unhashed with every function here.
    private static let usualKeyBytes = 64

    /// Parameters of the same cost without the project's key.
    var withoutSecrets: HMACParameters {
        var copy = self
        copy.signerKey = [UInt8](repeating: 0, count: Self.usualKeyBytes)
        return copy
    }
}

extension HMACParameters: HashAlgorithm {
    var parameters: JSONObject {
        [
            "hashAlgorithm": .string("HMAC_" + function.rawValue), "signerKey": signerKey.base64URL,
            "passwordHashOrder": order.parameter,
        ]
    }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count == function.byteCount }

    func cost(hash: [UInt8]) -> Double { 0 }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        let code = function.authenticationCode(of: order.join(password: password, salt: salt), key: signerKey)
        return constantTimeEqual(code, hash)
    }
}
