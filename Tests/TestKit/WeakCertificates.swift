/// Self-signed certificates by OpenSSL that `TestCertificate` cannot make. Their keys were not kept.
package enum WeakCertificates {
    /// RSA, 1024 bits.
    package static let rsa1024 = """
        -----BEGIN CERTIFICATE-----
        MIICCjCCAXOgAwIBAgIUOlko7eyCPEsT9LEXZuXZGefB+rIwDQYJKoZIhvcNAQEL
        BQAwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwIBcNMjYxMTIyMTgyOTUxWhgPMjEy
        NjEwMjkxODI5NTFaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMIGfMA0GCSqGSIb3
        DQEBAQUAA4GNADCBiQKBgQC/tazMxdxXidRZoO8liOs/yZidcrNokItkldIzrenE
        rN1bvqwfo21nxBSgsHWMQK2z8dIY/MUQn+jnPRSdcCkxrvDPUMXO/jdweZKafdTk
        CbLFgENViWnDTfwywPX4+Iv24p/vlckebPeYsPuGXB95lnbRNze+jUZt+3k4k5Yk
        WQIDAQABo1MwUTAdBgNVHQ4EFgQUukNBQBgZKqqvEzjiQJK5U7kYEO0wHwYDVR0j
        BBgwFoAUukNBQBgZKqqvEzjiQJK5U7kYEO0wDwYDVR0TAQH/BAUwAwEB/zANBgkq
        hkiG9w0BAQsFAAOBgQC3gTi/x7DW6JVQun82K8NdaERS4eXPrm6m/r5iGllwpWmD
        8YcunBTY1pnjGdfdPA+Jefq6jFA4NuEOMXYuazg9zrPlvAAbCslV23B/vtWQTHip
        IEpmRhEFScDg64Dgd1gN2e3xz+DgEQY4f/gjO7qudU7NUbgqiSPmxr58X8Oi8g==
        -----END CERTIFICATE-----
        """
    /// RSA, 1016 bits.
    package static let rsa1016 = """
        -----BEGIN CERTIFICATE-----
        MIIB9DCCAV6gAwIBAgIUZwWi0hR04hxfNQg1qwcXmD9zwEUwDQYJKoZIhvcNAQEL
        BQAwDDEKMAgGA1UEAwwBaTAgFw0yNjExMjIxODI5NTFaGA8yMTI2MTAyOTE4Mjk1
        MVowDDEKMAgGA1UEAwwBaTCBnjANBgkqhkiG9w0BAQEFAAOBjAAwgYgCgYAA2ipd
        lQIPlHQnk0BCfOXIlTKKQGeMTe2LARQDV1tx40cKzAnU5IdjXDO8XESqXweBO4X+
        cmu04gdzvYL8c20khRL+uQo/gG7hqhPAHMVsRpvBeN/7hB3egfcrzshsfSg0ikph
        3iHe8ZhPQh01EAD33SmbbUTVNHzjDQT4qLHq5QIDAQABo1MwUTAdBgNVHQ4EFgQU
        ySr5KhzdeUUuIZoIzgYVJ392Y3EwHwYDVR0jBBgwFoAUySr5KhzdeUUuIZoIzgYV
        J392Y3EwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOBgAC1bCckCFMc
        uTPBziG1zk9xkLxvJtoKVHGFrZ3VDTmQsX8HD3hXkXJsMwwwkXnzMokYNRevib79
        9wG156IYP5SMcyqC5sOUx975+bDJCDziDHvKHgFw1iBo4hTXhW5mYlqGU4EGOeQr
        8wDff+oCFaI8dPJGKdkKOJcoMywjmamf
        -----END CERTIFICATE-----
        """
    /// Ed25519, which SAML does not know.
    package static let ed25519 = """
        -----BEGIN CERTIFICATE-----
        MIIBLjCB4aADAgECAhRoYogYFySjgCNZZkTxdcJ/ZiQQYDAFBgMrZXAwDDEKMAgG
        A1UEAwwBaTAgFw0yNjExMjIxODI5NTFaGA8yMTI2MTAyOTE4Mjk1MVowDDEKMAgG
        A1UEAwwBaTAqMAUGAytlcAMhAGEoc1z/QEC/FKGZqiwb3crP1EKOIJ0Cx7HWez53
        lbvwo1MwUTAdBgNVHQ4EFgQUVeeHVnL/A8+PLUsbEZ4la3AxBuYwHwYDVR0jBBgw
        FoAUVeeHVnL/A8+PLUsbEZ4la3AxBuYwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
        QQAzMxLjbWds3JYytugdFbRkcpFKKB30r6fGqDRi8oLqUBoNkRZkDt8FbeVbWKs1
        Bc4M0PyMmAW1TsK7rEGrVB0E
        -----END CERTIFICATE-----
        """
    /// P-256; not weak.
    package static let p256 = """
        -----BEGIN CERTIFICATE-----
        MIIBbzCCARWgAwIBAgIUb3DcV5GY9kxUK3lChjTXq/RfJaIwCgYIKoZIzj0EAwIw
        DDEKMAgGA1UEAwwBaTAgFw0yNjExMjIxODI5NTFaGA8yMTI2MTAyOTE4Mjk1MVow
        DDEKMAgGA1UEAwwBaTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLs1JFeNcBqv
        nuwnlmFKm4OQoVjd++TrMhHcMgrKEMv7yCHxmyoG46gFZ90yZTV8E3/ooCYX24T8
        UWvKYcalwCGjUzBRMB0GA1UdDgQWBBRIBHDzKaUbUf0wX+g57ZO+BqPNeDAfBgNV
        HSMEGDAWgBRIBHDzKaUbUf0wX+g57ZO+BqPNeDAPBgNVHRMBAf8EBTADAQH/MAoG
        CCqGSM49BAMCA0gAMEUCIQCnCuXfiMB+8DXwJsQpJLtM2i6QMyafOPXfrCXF5cDA
        9AIgH0rN304VJ7mdqXIel897RouBqs1AN0HfKAoPxsupq/E=
        -----END CERTIFICATE-----
        """
}
