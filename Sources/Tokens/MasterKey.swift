package import Crypto
import Foundation

/// The key that encrypts all secrets in the store (`secrets.masterKey`): 32 bytes.
package struct MasterKey: Sendable {
    private let key: SymmetricKey

    /// Takes the key's bytes.
    ///
    /// - Parameter bytes: Exactly 32 bytes.
    package init(bytes: some Sequence<UInt8>) throws {
        let data = Data(bytes)
        guard data.count == 32 else { throw InvalidLength() }
        key = SymmetricKey(data: data)
    }

    /// The master key is not 32 bytes long.
    package struct InvalidLength: Error, CustomStringConvertible {
        package var description: String { "the master key must be 32 bytes, written in base64" }
    }

    /// A key for one purpose only, derived with HKDF-SHA256 (RFC 5869), so that no purpose can open another's values.
    package func derived(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("postern/\(purpose)".utf8), outputByteCount: 32)
    }
}
