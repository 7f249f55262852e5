import Crypto
import Foundation

/// How an element is signed. The members' defaults are what honest providers do.
package struct SAMLTestSignature: Sendable {
    package static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    package static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"

    /// Empty for the usual one of the key.
    package var algorithm = ""
    package var digestAlgorithm = "http://www.w3.org/2001/04/xmlenc#sha256"
    package var canonicalization = exclusive
    package var transforms = [enveloped, exclusive]
    /// What the reference names; `nil` for the id of the signed element.
    package var uri: String?
    /// The certificate in `KeyInfo`, in Base64; `nil` for the signer's.
    package var namedCertificate: String?
    /// Whether there is a `KeyInfo`.
    package var hasKeyInfo = true
    /// Changes the digested bytes before they are digested, to what a defective library would see.
    package var digested: (@Sendable (String) -> String)?
    /// Changes `SignedInfo` before it is signed.
    package var signedInfo: (@Sendable (inout SAMLTestElement) -> Void)?

    package init() {}

    /// The signature of an element, with all its parts in canonical form.
    ///
    /// - Parameters:
    ///   - element: What is signed, without its signature.
    ///   - key: What signs.
    /// - Returns: `ds:Signature`.
    package func element(over element: SAMLTestElement, by key: SAMLTestKey) throws -> SAMLTestElement {
        let usual = "http://www.w3.org/2001/04/xmldsig-more#" + (key.isRSA ? "rsa-sha256" : "ecdsa-sha256")
        let method = algorithm.isEmpty ? usual : algorithm
        let text = digested?(element.canonical) ?? element.canonical
        var info = SAMLTestElement(
            "ds:SignedInfo",
            elements: [
                SAMLTestElement("ds:CanonicalizationMethod", [("Algorithm", canonicalization)]),
                SAMLTestElement("ds:SignatureMethod", [("Algorithm", method)]),
                SAMLTestElement(
                    "ds:Reference",
                    [("URI", uri ?? "#\(element[attribute: "ID"] ?? "")")],
                    elements: [
                        SAMLTestElement(
                            "ds:Transforms",
                            elements: transforms.map { SAMLTestElement("ds:Transform", [("Algorithm", $0)]) }
                        ),
                        SAMLTestElement("ds:DigestMethod", [("Algorithm", digestAlgorithm)]),
                        SAMLTestElement("ds:DigestValue", text: Data(digest(of: Array(text.utf8))).base64EncodedString()),
                    ]
                ),
            ]
        )
        signedInfo?(&info)
        let value = Data(try key.sign(Array(info.canonical.utf8), algorithm: method)).base64EncodedString()
        var signature = SAMLTestElement("ds:Signature", elements: [info, SAMLTestElement("ds:SignatureValue", text: value)])
        if hasKeyInfo {
            let certificate = SAMLTestElement("ds:X509Certificate", text: namedCertificate ?? key.certificateText)
            let data = SAMLTestElement("ds:X509Data", elements: [certificate])
            signature.nodes.append(.element(SAMLTestElement("ds:KeyInfo", elements: [data])))
        }
        return signature
    }

    /// An element with its signature behind its issuer.
    package func sign(_ element: SAMLTestElement, by key: SAMLTestKey) throws -> SAMLTestElement {
        var signed = element
        let place = element.place(of: "saml:Issuer").map { $0 + 1 } ?? 0
        signed.nodes.insert(.element(try self.element(over: element, by: key)), at: place)
        return signed
    }

    private func digest(of bytes: [UInt8]) -> [UInt8] {
        if digestAlgorithm.hasSuffix("sha1") { return Array(Insecure.SHA1.hash(data: bytes)) }
        if digestAlgorithm.hasSuffix("sha384") { return Array(SHA384.hash(data: bytes)) }
        if digestAlgorithm.hasSuffix("sha512") { return Array(SHA512.hash(data: bytes)) }
        return Array(SHA256.hash(data: bytes))
    }
}
