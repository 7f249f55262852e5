/// A request whose form is wrong, on any endpoint: answered with Google's generic `INVALID_ARGUMENT`
/// (`Docs/Contract/conventions.md` §5).
package struct InvalidArgument: Error, Sendable, Hashable {
    /// The text for the caller.
    package let message: String

    package init(_ message: String) { self.message = message }

    /// A member of a JSON body that is not what it must be.
    ///
    /// - Parameter pointer: Where it stands, as a JSON pointer (RFC 6901).
    package init(at pointer: String, _ problem: String) {
        self.init("Invalid JSON payload received. \(pointer.isEmpty ? "/" : pointer) \(problem)")
    }
}
