/// Waits until something holds; the time limit of the suite ends what never does.
package func eventually(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}

/// Waits until there is something; the time limit of the suite ends what never comes.
package func eventually<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ find: () async throws -> T?
) async throws -> T {
    while true {
        if let found = try await find() { return found }
        try await Task.sleep(for: .milliseconds(10))
    }
}
