import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// How an assertion is encrypted, by code that has nothing in common with the library that decrypts it.
package struct SAMLTestEncryption: Sendable {
    /// The service provider's certificate as PEM.
    package var certificate: String
    /// What the document says; whatever does not name CBC is encrypted as GCM.
    package var contentAlgorithm = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
    /// What the document says; whatever does not name RSA 1.5 is encrypted as OAEP.
    package var keyAlgorithm = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
    /// Bytes of the key of the content.
    package var keySize = 32
    /// Whether the encrypted key stands beside the data and not in its `KeyInfo`.
    package var hasKeyBeside = false
    /// Changes the cipher text.
    package var change: (@Sendable (inout [UInt8]) -> Void)?

    package init(certificate: String) { self.certificate = certificate }

    /// Encrypts a document.
    ///
    /// - Parameter plain: The assertion, or what an attacker puts in its place.
    /// - Returns: `saml:EncryptedAssertion`.
    package func encrypt(_ plain: String) throws -> SAMLTestElement {
        let secret = SymmetricKey(size: SymmetricKeySize(bitCount: keySize * 8))
        let secretBytes = secret.withUnsafeBytes { Data($0) }
        var cipher: [UInt8]
        if contentAlgorithm.hasSuffix("cbc") {
            let start = AES._CBC.IV()
            cipher = Array(start) + Array(try AES._CBC.encrypt(Data(plain.utf8), using: secret, iv: start))
        } else {
            guard let box = try AES.GCM.seal(Data(plain.utf8), using: secret).combined else {
                throw CryptoKitError.incorrectParameterSize
            }
            cipher = Array(box)
        }
        change?(&cipher)
        let key = try Certificate(pemEncoded: certificate).publicKey
        let rsa = try _RSA.Encryption.PublicKey(pemRepresentation: key.serializeAsPEM().pemString)
        let padding: _RSA.Encryption.Padding = keyAlgorithm.hasSuffix("rsa-1_5") ? ._WEAK_AND_INSECURE_PKCS_V1_5 : .PKCS1_OAEP
        let wrapped = try rsa.encrypt(secretBytes, padding: padding)
        let encryptedKey = SAMLTestElement(
            "xenc:EncryptedKey",
            elements: [
                SAMLTestElement("xenc:EncryptionMethod", [("Algorithm", keyAlgorithm)]), Self.value(Array(wrapped)),
            ]
        )
        var data = SAMLTestElement(
            "xenc:EncryptedData",
            [("Type", "http://www.w3.org/2001/04/xmlenc#Element")],
            elements: [SAMLTestElement("xenc:EncryptionMethod", [("Algorithm", contentAlgorithm)])]
        )
        if !hasKeyBeside { data.nodes.append(.element(SAMLTestElement("ds:KeyInfo", elements: [encryptedKey]))) }
        data.nodes.append(.element(Self.value(cipher)))
        return SAMLTestElement("saml:EncryptedAssertion", elements: hasKeyBeside ? [data, encryptedKey] : [data])
    }

    private static func value(_ bytes: [UInt8]) -> SAMLTestElement {
        let value = SAMLTestElement("xenc:CipherValue", text: Data(bytes).base64EncodedString())
        return SAMLTestElement("xenc:CipherData", elements: [value])
    }
}
