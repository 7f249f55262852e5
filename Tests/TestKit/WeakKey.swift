package import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A complete RSA key of 2048 bits from the generator of CVE-2017-15361: both primes are k·M + (65537^a mod M), with M the
/// product of the first 126 primes. Its signatures are valid.
package enum WeakKey {
    /// - Throws: Never, unless the library stops reading PKCS #8.
    package static func rsa() throws -> _RSA.Signing.PrivateKey { try _RSA.Signing.PrivateKey(pemRepresentation: pem) }

    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIIEuQIBADANBgkqhkiG9w0BAQEFAASCBKMwggSfAgEAAoIBAQC2eXPxsKIpxgBQ
        tgBpKLjD37pHnFXtgO7uPKZdedSimAfo1FY12UwvbWqEqKOmSqw2g7ofsVKoAd0j
        2YhpH6tdi21AG76Zhysu1KiQ6hWWjCcuuLzEHRz/poDMC4myouX+V8t97LQ6ENjN
        XkEYRKaoD5O+2t4fegRzJhRlTRSQ9IiX33xmurqSF9W+WqOlZ1fs6S/6XQzzhwck
        Z6ALxm+DKC9rKRuUJMVY2Zcw2wXwfuKl+sHnqZn3l4LjwALH6WiLj11m6G1J6AvB
        fl21zoaM6904MuuASd2YrHPAeMUjWLrV54f85dGeah/bM1KB6P0s00Sp2KpbAwK2
        7OEXaUo5AgMBAAECgf5Bc4Rv3blJGGNZN0xxIM1rWDjaNqDs/k93xHVwr9x/a9K5
        2UVLRUGtl5gvOhD1EO25SqqD9CYIscjFdE+z20vy3ngY9OvrdIQUBTrvQl9JaB0H
        JHZulyy4gI3QFqIhAUZfyrQda35rLfp9xL3uUyuiYSjwckaMbebJ0KuJUAzdVSMw
        MYCrxImQsIizxlzM2e0kVHL6Qap6EvRTqKWLsykvedjR8t8SHArWaEtmyb8W8TyZ
        Yp6QsuSFAC8SBddNnprM7Ij2vVvZ9cDlCFKNkOQiVw0oYQd73SNPdrijrHWSb7iu
        3YCdC/pY7hXbqJoqMwI18kam103uFUlJAzCM6QKBgQDt8cpWjgZVSEAZqbLFJR6T
        JZNZ6Wyg+WeIIjfFrkXWadu9X+EhBm0c4I4qjoU+sX9K09vZY7uSd5lP8v6CAi38
        PhsTr5WZD+FZB8xUyOTHTzxCEBOcUqEX9yxu+fsxWUNjIsRwxrma7pn+JA21w2bg
        JXbEHBuATujtVqZk3CXwAwKBgQDEUh/TOoH0eQ2TekKfoUKfRueAaEjH65YLhA/8
        AwnhfpDndel9wFI4NZf5Ax3CmKSskCV5BvFBGUnoPWjL8T36fQT7l60oxrysj82C
        Jf3EtNZEBJCUCEgD/Pie/ka2qzOxmBT4YhXzBBDa0MJ0zZIqPCQyH6EfZ5GhoVGG
        oX1+EwKBgCNgn8TeuPJVG7K1GG9XZYRbQd1MZ2pHqq0C6Wfq0VdfxdwSNVbDrdVt
        TbXmGsmHenWVqkpYGbtdLN5GMrEBwfSPB1eV85geVFL4Zdj1RY6cqUjpOwEzB+CY
        T3Lwl/huXSaQNMTPxyjR8PNoSOGNe+43o8DkrPIWyWsARx0X3kwhAoGAQnsQ/eW1
        NkV7/HINd6MTPX60TH6EDvdPU00AYLXitbK3fTonvIbREOnNMe0FOe2Y7jrOBcL9
        Fa9roLKS92UVOOr3Mf+2CrXqFIGJ9UXKPr+CQ3xMPWTkhj03MBgpeBhXpA89IrOM
        fUPmNUM2ZnlqwtSk6ThexpS680H+qpmrNnMCgYAnIPEOCOd/a/tDSwzwmTqJqlbV
        jh1JQxBSYjFAQAZORVDHtULi+aRgiS9t14VeH2AwgKQ4L2xB76YywQy4HnoUwDm6
        ogW7Hr7H2eliV0okDkFgQgbyJAwuyPD/8YHcJWEP5BDyB0FGC+VyzwCw4b3UjG0J
        nHivHuMSE0TBGMsrsQ==
        -----END PRIVATE KEY-----
        """
}

extension TestCertificate {
    /// A self-signed certificate of a key, in PEM.
    package static func pem(of key: _RSA.Signing.PrivateKey) throws -> String {
        let own = Certificate.PrivateKey(key)
        let name = try DistinguishedName { CommonName("idp.example") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: own.publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3600),
            notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: own
        )
        return try certificate.serializeAsPEM().pemString
    }
}
