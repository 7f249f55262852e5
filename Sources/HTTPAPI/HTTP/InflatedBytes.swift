/// An outbound channel event: so many bytes were made of the compressed body of the current request. They count like bytes of a body
/// (threat case RES-15). It fails with a ``TransportError`` where there is no room for them.
package struct InflatedBytes: Sendable {
    package let count: Int

    package init(_ count: Int) { self.count = count }
}
