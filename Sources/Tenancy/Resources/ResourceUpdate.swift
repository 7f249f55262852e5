import Project

/// An update of a resource: its new content and the members it touches.
struct ResourceUpdate: Sendable {
    /// The resource in its canonical spelling, nulls included.
    let body: JSONValue
    /// `nil` replaces every member that may be set.
    let mask: FieldMask?
    /// Whether a member that is in the mask but not in the body is cleared. An explicit null always clears.
    let absentClears: Bool
    /// Whether unknown paths in the mask are refused; otherwise they are ignored.
    let refusesUnknownPaths: Bool

    /// The members of a stored resource that no request can change.
    private static let kept = ["createdAt"]

    /// The stored resource with this update applied.
    func applied(to stored: JSONValue, shape: Shape) throws -> JSONValue {
        guard let mask, !mask.isWhole else {
            let kept = stored.object?.filter { Self.kept.contains($0.key.text) } ?? [:]
            return body.withoutNulls.merging(.object(kept))
        }
        return try mask.paths.reduce(stored) { document, path in
            switch shape.target(of: path) {
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
