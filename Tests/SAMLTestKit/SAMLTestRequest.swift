import CSAML
import CZlib
import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A request as an identity provider reads it.
package struct SAMLTestRequest: Sendable {
    /// The request could not be read, or its signature is not of the given certificate.
    package struct Unreadable: Error {}

    package var id: String
    package var issuer: String
    package var assertionConsumerURL: String
    package var destination: String?
    package var forceAuthn = false
    package var nameIDFormat: String?
    package var relayState: String?
    /// Whether the request was signed, and the signature was checked.
    package var isSigned = false

    package init(id: String, issuer: String, assertionConsumerURL: String) {
        self.id = id
        self.issuer = issuer
        self.assertionConsumerURL = assertionConsumerURL
    }

    /// Reads the address that a browser was sent to.
    ///
    /// - Parameters:
    ///   - redirect: The URL.
    ///   - certificate: The certificate of the service provider. A request without a signature of its key is an error then.
    package init(redirect: String, certificate: String? = nil) throws {
        guard let query = redirect.firstIndex(of: "?").map({ redirect[redirect.index(after: $0)...] }) else { throw Unreadable() }
        var fields: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            fields[String(parts[0])] = parts.count == 2 ? String(parts[1]).removingPercentEncoding : ""
        }
        guard let compressed = fields["SAMLRequest"].flatMap({ Data(base64Encoded: $0) }) else { throw Unreadable() }
        try self.init(xml: try Self.inflate(Array(compressed)), certificate: nil)
        relayState = fields["RelayState"]
        guard let certificate else { return }
        guard let start = query.range(of: "SAMLRequest="), let end = query.range(of: "&Signature="),
            let signature = fields["Signature"].flatMap({ Data(base64Encoded: $0) }),
            fields["SigAlg"] == "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
        else { throw Unreadable() }
        let pem = try Certificate(pemEncoded: certificate).publicKey.serializeAsPEM().pemString
        let key = try _RSA.Signing.PublicKey(pemRepresentation: pem)
        let digest = SHA256.hash(data: Data(query[start.lowerBound..<end.lowerBound].utf8))
        guard key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5) else {
            throw Unreadable()
        }
        isSigned = true
    }

    /// Reads the fields of a posted form.
    ///
    /// - Parameters:
    ///   - form: `SAMLRequest`.
    ///   - relayState: `RelayState`.
    ///   - certificate: The certificate of the service provider. A request without a signature of its key is an error then.
    package init(form: String, relayState: String?, certificate: String? = nil) throws {
        guard let xml = Data(base64Encoded: form) else { throw Unreadable() }
        try self.init(xml: Array(xml), certificate: certificate)
        self.relayState = relayState
    }

    private init(xml: [UInt8], certificate: String?) throws {
        guard csaml_prepare() == CSAML_OK else { throw Unreadable() }
        var document: xmlDocPtr?
        let bounds = csaml_bounds(depth: 20, parts: 500, attributes: 50, skips_remarks: 0)
        guard csaml_parse(xml, xml.count, bounds, &document) == CSAML_OK, let document else { throw Unreadable() }
        defer { xmlFreeDoc(document) }
        guard let root = xmlDocGetRootElement(document), let id = Self.attribute("ID", of: root),
            let url = Self.attribute("AssertionConsumerServiceURL", of: root), let issuer = Self.child("Issuer", of: root),
            let name = xmlNodeGetContent(issuer)
        else { throw Unreadable() }
        defer { csaml_free_text(name) }
        self.init(id: id, issuer: String(cString: name), assertionConsumerURL: url)
        destination = Self.attribute("Destination", of: root)
        forceAuthn = Self.attribute("ForceAuthn", of: root) == "true"
        nameIDFormat = Self.child("NameIDPolicy", of: root).flatMap { Self.attribute("Format", of: $0) }
        guard let certificate else { return }
        let pem = Array(certificate.utf8)
        var bytes = csaml_bytes()
        defer { csaml_free_bytes(bytes) }
        guard let signature = Self.child("Signature", of: root), csaml_verify(signature, pem, pem.count, 0, &bytes) == CSAML_OK
        else {
            throw Unreadable()
        }
        isSigned = true
    }

    private static func attribute(_ name: String, of node: xmlNodePtr) -> String? {
        guard let value = xmlGetNoNsProp(node, name) else { return nil }
        defer { csaml_free_text(value) }
        return String(cString: value)
    }

    private static func child(_ name: String, of node: xmlNodePtr) -> xmlNodePtr? {
        var next = node.pointee.children
        while let child = next {
            if child.pointee.type == XML_ELEMENT_NODE, String(cString: child.pointee.name) == name { return child }
            next = child.pointee.next
        }
        return nil
    }

    private static func inflate(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Unreadable()
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        return try [UInt8](unsafeUninitializedCapacity: 64 * 1024) { output, count in
            try input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                guard CZlib.inflate(&stream, Z_FINISH) == Z_STREAM_END else { throw Unreadable() }
                count = Int(stream.total_out)
            }
        }
    }
}
