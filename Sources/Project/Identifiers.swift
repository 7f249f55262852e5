/// Whether two identifiers of protocols are the same: byte for byte in UTF-8 (RFC 7519 §2, `StringOrURI`).
///
/// `==` takes canonically equivalent texts for equal: a "K" and the Kelvin sign, which no other party would.
///
/// - Returns: `false` as well when one of them is missing.
package func bytesEqual(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return false }
    return left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
}

extension Sequence<String> {
    /// Whether an identifier is among these, see ``bytesEqual(_:_:)``.
    package func containsBytes(of identifier: String?) -> Bool { contains { bytesEqual($0, identifier) } }
}
