/// Whether two identifiers of protocols are the same: byte for byte in UTF-8 (RFC 7519 §2, `StringOrURI`).
///
/// `==` treats canonically equivalent texts as equal, for example "K" and the Kelvin sign. Other parties do not.
///
/// - Returns: `false` as well when one of them is missing.
package func bytesEqual(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return false }
    return left.utf8.elementsEqual(right.utf8)
}

extension Sequence<String> {
    /// Whether an identifier is among these, see ``bytesEqual(_:_:)``.
    package func containsBytes(of identifier: String?) -> Bool { contains { bytesEqual($0, identifier) } }
}
