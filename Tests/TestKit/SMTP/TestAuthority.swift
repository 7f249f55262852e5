import Crypto
import Foundation
import SwiftASN1
import X509

/// A private authority, as an operator makes one, and a server's certificate of it, in files that servers and clients read.
package struct TestAuthority: Sendable {
    /// The authority's certificate, PEM.
    package let authorityFile: String
    /// The server's certificate and private key, PEM.
    package let certificateFile, keyFile: String

    /// Makes both and writes them into a directory.
    ///
    /// - Parameters:
    ///   - names: The DNS names of the server.
    ///   - hasAddress: Whether the certificate is for the address `127.0.0.1`, too.
    ///   - directory: Where the files go.
    /// - Throws: When the library fails, or a file cannot be written.
    package init(names: [String], hasAddress: Bool = true, in directory: String) throws {
        let (authorityKey, key) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let authority = try DistinguishedName { CommonName("Postern test authority") }
        let loopback = ASN1OctetString(contentBytes: [127, 0, 0, 1])
        let root = try Self.certificate(
            of: authorityKey.publicKey,
            named: authority,
            by: authority,
            authorityKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }
        )
        let leaf = try Self.certificate(
            of: key.publicKey,
            named: try DistinguishedName { CommonName("Postern test server") },
            by: authority,
            authorityKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map { .dnsName($0) } + (hasAddress ? [.ipAddress(loopback)] : []))
            }
        )
        authorityFile = directory + "/authority.pem"
        certificateFile = directory + "/server.pem"
        keyFile = directory + "/server.key"
        for (text, file) in [
            (try root.serializeAsPEM().pemString, authorityFile), (try leaf.serializeAsPEM().pemString, certificateFile),
            (key.pemRepresentation, keyFile),
        ] { try (text + "\n").write(toFile: file, atomically: true, encoding: .utf8) }
    }

    private static func certificate(
        of publicKey: P256.Signing.PublicKey,
        named subject: DistinguishedName,
        by issuer: DistinguishedName,
        _ issuerKey: P256.Signing.PrivateKey,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -3600),
            notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: issuer,
            subject: subject,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }
}
