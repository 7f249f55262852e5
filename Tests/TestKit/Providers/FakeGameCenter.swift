import Crypto
package import CryptoExtras
package import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import SwiftASN1
package import X509

/// An authority that certifies Game Center's keys through an intermediate authority.
package struct FakeAuthority: Sendable {
    private static let from = Date(timeIntervalSince1970: 0)
    private static let until = Date(timeIntervalSince1970: 4e9)

    let name: DistinguishedName
    let key: Certificate.PrivateKey
    /// The root, in PEM.
    package let pem: String
    /// The certificate of the intermediate authority, in DER.
    package let issuer: [UInt8]

    /// - Parameters:
    ///   - name: Its name.
    ///   - canCertify: Whether the intermediate authority may certify.
    package init(name: String, canCertify: Bool = true) throws {
        let rootKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let rootName = try DistinguishedName { CommonName(name) }
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        self.name = try DistinguishedName { CommonName("\(name), signing") }
        let authority = BasicConstraints.isCertificateAuthority(maxPathLength: nil)
        let root = try Self.certificate(rootKey.publicKey, of: rootName, by: rootName, rootKey, authority)
        let intermediate = canCertify ? authority : .notCertificateAuthority
        pem = try root.serializeAsPEM().pemString
        issuer = try Self.der(try Self.certificate(key.publicKey, of: self.name, by: rootName, rootKey, intermediate))
    }

    private static func certificate(
        _ key: Certificate.PublicKey,
        of subject: DistinguishedName,
        by issuer: DistinguishedName,
        _ issuerKey: Certificate.PrivateKey,
        _ constraints: BasicConstraints
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: from,
            notValidAfter: until,
            issuer: issuer,
            subject: subject,
            extensions: Certificate.Extensions { Critical(constraints) },
            issuerPrivateKey: issuerKey
        )
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    /// The authority that test servers trust.
    package static let trusted = Result { try FakeAuthority(name: "Trusted") }
}

/// Game Center's key: its certificate, and signatures over players.
package struct FakeGameCenter: Sendable {
    private let key: _RSA.Signing.PrivateKey
    let certificate: [UInt8]

    /// Makes a key with a certificate.
    ///
    /// - Parameters:
    ///   - period: The certificate's validity.
    ///   - authority: The authority that signs it; `nil` for a self-signed certificate.
    ///   - issuerURL: The URL of the authority's own certificate, as stated in the certificate.
    ///   - organization: The organization in the certificate.
    ///   - usage: The extended key usage.
    ///   - key: The key; by default a fresh one.
    package init(
        validIn period: ClosedRange<Date>,
        by authority: FakeAuthority?,
        issuerURL: String?,
        organization: String = "Apple Inc.",
        usage: ExtendedKeyUsage.Usage = .codeSigning,
        key: _RSA.Signing.PrivateKey? = nil
    ) throws {
        self.key = try key ?? _RSA.Signing.PrivateKey(keySize: .bits2048)
        let subject = try DistinguishedName {
            OrganizationName(organization)
            CommonName("Game Center, for tests")
        }
        let own = Certificate.PrivateKey(self.key)
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            try ExtendedKeyUsage([usage])
            if let issuerURL {
                AuthorityInformationAccess([
                    .init(method: .ocspServer, location: .uniformResourceIdentifier("http://127.0.0.1:1/ocsp")),
                    .init(method: .issuingCA, location: .uniformResourceIdentifier(issuerURL)),
                ])
            }
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: own.publicKey,
            notValidBefore: period.lowerBound,
            notValidAfter: period.upperBound,
            issuer: authority?.name ?? subject,
            subject: subject,
            extensions: extensions,
            issuerPrivateKey: authority?.key ?? own
        )
        self.certificate = try FakeAuthority.der(certificate)
    }

    /// The signature that an app gets for a player.
    package func signature(player: String, bundleID: String, timestamp: Int64, salt: Data) throws -> Data {
        let time = withUnsafeBytes(of: timestamp.bigEndian) { Data($0) }
        let message = Data(player.utf8) + Data(bundleID.utf8) + time + salt
        return try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

extension FakeIDP {
    /// Serves Game Center's certificates and those of its authorities.
    func gameCenter(_ path: String) -> Response? {
        guard let certificate = gameCenterKeys[path] else { return nil }
        return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: certificate)))
    }
}
