import Storage

extension Database {
    /// Runs a transaction and rolls it back. Because the real body runs, a rehearsal and the real run cannot differ.
    func rehearse<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        do {
            return try await write { throw Rehearsed(result: try body($0)) }
        } catch let rehearsed as Rehearsed<T> {
            return rehearsed.result
        }
    }
}

private struct Rehearsed<T: Sendable>: Error {
    let result: T
}
