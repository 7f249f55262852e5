import TestKit
import Testing

@testable import Tokens

@Suite("Certificates of SAML providers")
struct CertificateTextTests {
    @Test("RSA from 1024 bits on and elliptic curves are taken, RSA below 2048 with a warning")
    func keys() {
        let weak = CertificateText(pem: WeakCertificates.rsa1024)
        #expect(weak?.key == .rsa(bits: 1024))
        #expect(weak?.warning == "The RSA key has 1024 bits, and should have 2048 at least.")
        let strong = CertificateText(pem: WeakCertificates.p256)
        #expect(strong?.key == .ellipticCurve(bits: 256) && strong?.warning == nil)
    }

    @Test("anything else is none")
    func refused() {
        let good = WeakCertificates.rsa1024
        let lines = good.split(separator: "\n")
        let cut = (lines.dropLast(2) + lines.suffix(1)).joined(separator: "\n")
        for text in [
            "", "CERT", WeakCertificates.rsa1016, WeakCertificates.ed25519, good.replacing("CERTIFICATE", with: "PUBLIC KEY"),
            cut,
            good + String(repeating: " ", count: 16 * 1024),
        ] {
            #expect(CertificateText(pem: text) == nil, "\(text.prefix(60))")
        }
    }
}
