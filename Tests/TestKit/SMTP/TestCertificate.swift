import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate for a name, its own root, in files that a server and a client can read.
package struct TestCertificate: Sendable {
    /// PEM files.
    package let certificateFile, keyFile: String

    /// Makes a certificate and writes it into a directory.
    package init(dnsName: String, in directory: String) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName(dnsName) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3600),
            notValidAfter: Date(timeIntervalSinceNow: 86_400),
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
