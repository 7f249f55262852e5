/// A bucket of an object store and a name in it: `s3://bucket`, `s3://bucket/a/b`.
///
/// Names are made of letters, digits and `-._~`, which stand in URLs as they are. libcurl before 8.7 signs paths as they are
/// written, and later ones encode them first; such names are signed right by both.
package struct S3Place: Sendable, Hashable, CustomStringConvertible {
    /// The text names no such place.
    package struct Malformed: Error, CustomStringConvertible {
        package let description =
            "expected s3://bucket or s3://bucket/prefix: a bucket of 3 to 63 lower-case letters, digits, dots or hyphens, and names of "
            + "letters, digits and -._~ between the slashes"
    }

    package let bucket: String
    /// The names below the bucket, with slashes between them; empty for the bucket itself.
    package let path: String

    private static let scheme = "s3://"
    // Amazon's bound for keys is 1024 bytes; names of backups come behind the prefix.
    private static let maximumPathBytes = 900

    /// Whether a text is meant as a place of this kind.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// Reads a place. A slash at the end makes no difference.
    package init(_ text: String) throws {
        guard Self.isMeant(by: text) else { throw Malformed() }
        let names = text.dropFirst(Self.scheme.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        bucket = String(names.first ?? "")
        var path = names.count > 1 ? names[1] : ""
        if path.utf8.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
        guard bucket.wholeMatch(of: /[a-z0-9]([a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]/) != nil,
            path.utf8.count <= Self.maximumPathBytes,
            path.isEmpty || path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isName)
        else { throw Malformed() }
    }

    private static func isName(_ text: Substring) -> Bool {
        text != "." && text != ".." && text.wholeMatch(of: /[A-Za-z0-9._~-]+/) != nil
    }

    private init(bucket: String, path: String) {
        self.bucket = bucket
        self.path = path
    }

    /// The place of a name below this one. The name is one of Postern's own, of the characters above.
    package func appending(_ name: String) -> S3Place {
        S3Place(bucket: bucket, path: path.isEmpty ? name : "\(path)/\(name)")
    }

    package var description: String { path.isEmpty ? Self.scheme + bucket : "\(Self.scheme)\(bucket)/\(path)" }
}
