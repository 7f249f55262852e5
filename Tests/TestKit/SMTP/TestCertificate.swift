import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate for a name, its own root, in files that a server and a client can read.
package struct TestCertificate: Sendable {
    /// PEM files.
    package let certificateFile, keyFile: String

    /// Makes a certificate and writes it into a directory.
    ///
    /// - Parameters:
    ///   - dnsName: The name that it is for, and that the files have.
    ///   - directory: Where the files go.
    ///   - seconds: For how long it is good from now on; negative for one that has ended.
    package init(dnsName: String, in directory: String, endingIn seconds: Double = 86_400) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName(dnsName) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3600),
            notValidAfter: Date(timeIntervalSinceNow: seconds),
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName(dnsName)])
            },
            issuerPrivateKey: key
        )
        certificateFile = directory + "/\(dnsName).pem"
        keyFile = directory + "/\(dnsName).key"
        try certificate.serializeAsPEM().pemString.write(toFile: certificateFile, atomically: true, encoding: .utf8)
        try key.serializeAsPEM().pemString.write(toFile: keyFile, atomically: true, encoding: .utf8)
    }
}
