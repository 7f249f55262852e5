import Foundation

/// Whether two identifiers of protocols are the same: byte for byte in UTF-8 (RFC 7519 §2, `StringOrURI`).
///
/// `==` treats canonically equivalent texts as equal, for example "K" and the Kelvin sign. Other parties do not.
///
/// - Returns: `false` as well when one of them is missing.
package func bytesEqual(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right, left.utf8.count == right.utf8.count else { return false }
    return byteOrder(left, right) == 0
}

/// Compares the UTF-8 bytes of two texts.
func byteOrder(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
        right.withUTF8 { right in
            guard let start = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
            let order = Int(memcmp(start, other, min(left.count, right.count)))
            return order == 0 ? left.count - right.count : order
        }
    }
}

extension Sequence<String> {
    /// Whether an identifier is among these, see ``bytesEqual(_:_:)``.
    package func containsBytes(of identifier: String?) -> Bool { contains { bytesEqual($0, identifier) } }
}
