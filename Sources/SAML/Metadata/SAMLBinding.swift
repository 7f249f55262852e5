/// URIs of the bindings that requests are sent by.
package enum SAMLBinding {
    package static let redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
    package static let post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
}
