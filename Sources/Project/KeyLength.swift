/// The longest texts that are keys of the store, in bytes of UTF-8.
///
/// PostgreSQL keeps at most 2,704 bytes of a row in an index. All columns of one index together stay below that by these bounds, and they
/// hold on every engine.
package enum KeyLength {
    package static let projectID = 128
    package static let tenantID = 128
    package static let providerID = 128
    /// A user's id at a provider, as administrators import it. Ids that providers themselves send have a lower limit.
    package static let rawID = 1024
    package static let email = EmailAddress.maximumLength

    /// Whether a text may be a key of that length: bounded, and without U+0000, which PostgreSQL does not store.
    package static func fits(_ text: String, _ maximum: Int) -> Bool { text.utf8.count <= maximum && !text.utf8.contains(0) }
}
