import Project

/// The members that an update touches: `updateMask` of a request (`Docs/Contract/admin-config.md` §2.1).
package struct FieldMask: Sendable, Hashable {
    /// The paths as sent, split at their dots.
    let paths: [[String]]

    private static let maximumPaths = 500
    private static let maximumLength = 16 * 1024

    /// Reads a mask.
    ///
    /// - Parameter text: Paths separated by commas; `nil` results for an empty mask.
    package init?(_ text: String) throws {
        guard text.utf8.count <= Self.maximumLength else { throw InvalidArgument("The update mask is too long.") }
        let listed = text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        guard !listed.isEmpty else { return nil }
        guard listed.count <= Self.maximumPaths else { throw InvalidArgument("The update mask has too many paths.") }
        paths = try listed.map { path in
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !names.contains("") else { throw InvalidArgument("The update mask has a path that is malformed.") }
            return names
        }
    }

    /// Makes a mask of these paths.
    init(paths: [[String]]) { self.paths = paths }

    /// Whether the mask names the whole resource.
    var isWhole: Bool { paths.contains(["*"]) }
}
