import Foundation
import Project
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// The authorities that may have certified Game Center's keys (Apple, GameKit: "verify with the appropriate signing authority
/// that Apple signed the public key").
///
/// A certificate is fetched over TLS from Apple's host. In addition it must be a code-signing certificate that a trusted
/// authority issued to Apple.
package struct GameCenterTrust: Sendable {
    /// The file contains no certificate.
    package struct NoCertificates: Error {}

    private let roots: CertificateStore

    // No authority has longer chains.
    private static let maximumIntermediates = 3
    // The spellings of Apple's name in certificates.
    private static let organizations: Set<String> = ["Apple Inc.", "Apple, Inc."]

    package static let system = GameCenterTrust(roots: .systemTrustRoots)

    private init(roots: CertificateStore) { self.roots = roots }

    /// - Parameter pem: Root or intermediate certificates in PEM. Game Center's certificates must be issued by one of them.
    package init(pem: String) throws {
        let certificates = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        guard !certificates.isEmpty else { throw NoCertificates() }
        roots = CertificateStore(certificates)
    }

    /// Whether a certificate is Apple's, is for signing, is currently valid, and chains to a trusted authority (RFC 5280 §6.1).
    ///
    /// - Parameter fetch: Fetches the certificate of an issuer that the chain lacks (RFC 5280 §4.2.2.1).
    /// - Returns: Whether all of this holds; `false` when it cannot be determined.
    func covers(
        _ certificate: Certificate,
        at time: Timestamp,
        fetch: (String) async throws -> Certificate
    ) async -> Bool {
        guard Self.isApples(certificate), Self.isForSigning(certificate) else { return false }
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        var verifier = Verifier(rootCertificates: roots) { RFC5280Policy(fixedExpiryValidationTime: date) }
        var intermediates: [Certificate] = []
        while true {
            let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore(intermediates))
            if case .validCertificate = result { return true }
            guard intermediates.count < Self.maximumIntermediates,
                let url = Self.issuerURL(of: intermediates.last ?? certificate), let next = try? await fetch(url)
            else { return false }
            intermediates.append(next)
        }
    }

    private static func isApples(_ certificate: Certificate) -> Bool {
        certificate.subject.joined().contains { attribute in
            attribute.type == .RDNAttributeType.organizationName
                && String(attribute.value).map(organizations.contains) ?? false
        }
    }

    // The trusted authorities issue certificates for web sites too, and those are not accepted.
    private static func isForSigning(_ certificate: Certificate) -> Bool {
        guard let usage = try? certificate.extensions.extendedKeyUsage else { return false }
        return usage.contains(.codeSigning)
    }

    private static func issuerURL(of certificate: Certificate) -> String? {
        guard let access = try? certificate.extensions.authorityInformationAccess else { return nil }
        for description in access where description.method == .issuingCA {
            if case .uniformResourceIdentifier(let url) = description.location, url.utf8.count <= 512 { return url }
        }
        return nil
    }
}
