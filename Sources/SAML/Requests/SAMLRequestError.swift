/// Why no request or metadata could be written. The configuration is the reason, never a user.
package enum SAMLRequestError: Error, Equatable {
    /// A text holds characters that XML cannot carry.
    case text
    /// The key is no RSA key in PKCS #8, or the certificate none in PEM.
    case key
    /// A library failed.
    case library
}
