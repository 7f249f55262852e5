package import Project

/// What a change expects of the resource, as the caller was shown it: a form that another's change has overtaken must not undo that
/// change.
package struct ExpectedResource: Sendable {
    private let isMet: @Sendable (JSONValue?) -> Bool

    /// - Parameter isMet: Whether a resource is still what the caller was shown; `nil` when there is none.
    package init(_ isMet: @escaping @Sendable (JSONValue?) -> Bool) { self.isMet = isMet }

    /// Checks the resource that is about to be changed, as answers have it.
    package func check(_ presented: JSONValue?) throws {
        guard isMet(presented) else { throw StaleChange() }
    }
}

/// The resource is no longer what the caller was shown, so it was not changed.
package struct StaleChange: Error {
    package init() {}
}
