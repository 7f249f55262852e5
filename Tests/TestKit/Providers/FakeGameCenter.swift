import Crypto
import CryptoExtras
package import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import SwiftASN1
import X509

/// Game Center's key: its certificate, and signatures over players.
package struct FakeGameCenter: Sendable {
    private let key: _RSA.Signing.PrivateKey
    let certificate: [UInt8]

    /// A key whose certificate is in force in a year.
    package init(validIn year: ClosedRange<Date>) throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let name = try DistinguishedName { CommonName("Game Center, for tests") }
        let issuer = Certificate.PrivateKey(key)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: issuer.publicKey,
            notValidBefore: year.lowerBound,
            notValidAfter: year.upperBound,
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) },
            issuerPrivateKey: issuer
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        self.certificate = serializer.serializedBytes
    }

    /// What an app gets for a player.
    package func signature(player: String, bundleID: String, timestamp: Int64, salt: Data) throws -> Data {
        let time = withUnsafeBytes(of: timestamp.bigEndian) { Data($0) }
        let message = Data(player.utf8) + Data(bundleID.utf8) + time + salt
        return try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

extension FakeIDP {
    /// Game Center's certificates.
    func gameCenter(_ path: String) -> Response? {
        guard let certificate = gameCenterKeys[path]?.certificate else { return nil }
        return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: certificate)))
    }
}
