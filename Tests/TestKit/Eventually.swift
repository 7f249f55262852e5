/// Waits until a condition holds. If it never does, the suite's time limit ends the wait.
package func eventually(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}

/// Waits until a value is found. If there is none, the suite's time limit ends the wait.
package func eventually<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ find: () async throws -> T?
) async throws -> T {
    while true {
        if let found = try await find() { return found }
        try await Task.sleep(for: .milliseconds(10))
    }
}
