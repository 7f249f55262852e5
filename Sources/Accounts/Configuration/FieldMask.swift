import Project

/// Which members an update touches: `updateMask` of a request (`contract/admin-config.md` §2.1).
package struct FieldMask: Sendable, Hashable {
    /// The paths as sent, each cut at its dots.
    let paths: [[String]]

    private static let maximumPaths = 500
    private static let maximumLength = 16 * 1024

    /// Reads a mask.
    ///
    /// - Parameter text: Paths with commas between them; empty is no mask.
    /// - Throws: `InvalidArgument` for a mask that is too long, or a path with an empty name in it.
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

    /// A mask of these paths.
    init(paths: [[String]]) { self.paths = paths }

    /// Whether it names the whole resource.
    var isWhole: Bool { paths.contains(["*"]) }
}

/// An update of a resource: what it says, and which members it touches.
struct ResourceUpdate: Sendable {
    /// The resource in its canonical spelling, nulls included.
    let body: JSONValue
    /// `nil` replaces every member that may be set.
    let mask: FieldMask?
    /// Whether a member that the mask names and the body lacks is cleared. An explicit null always clears.
    let absentClears: Bool
    /// Whether a path that leads nowhere is refused rather than passed over.
    let refusesUnknownPaths: Bool

    /// Members of a stored resource that no request says anything about.
    private static let kept = ["createdAt"]

    /// The stored resource with this update applied.
    ///
    /// - Throws: `InvalidArgument` for a mask that leads nowhere.
    func applied(to stored: JSONValue, schema: ResourceSchema) throws -> JSONValue {
        guard let mask, !mask.isWhole else {
            let kept = stored.object?.filter { Self.kept.contains($0.key.text) } ?? [:]
            return body.withoutNulls.merging(.object(kept))
        }
        return try mask.paths.reduce(stored) { document, path in
            switch schema.target(of: path) {
            case .member(let path): apply(path, to: document)
            case .outputOnly: document
            case .nowhere:
                if refusesUnknownPaths {
                    throw InvalidArgument("Invalid value at 'update_mask': \(path.joined(separator: ".").prefix(200))")
                } else {
                    document
                }
            }
        }
    }

    private func apply(_ path: [String], to document: JSONValue) -> JSONValue {
        var value: JSONValue? = body
        for name in path where value != .null { value = value?[name] }
        switch value {
        case .null: return document.setting(nil, at: path)
        case nil: return absentClears ? document.setting(nil, at: path) : document
        case let value?: return document.setting(value.withoutNulls, at: path)
        }
    }
}
