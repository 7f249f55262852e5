import Synchronization

/// What ends with a test, or with a part of it: the last that was started ends first.
package final class Teardown: Sendable {
    @TaskLocal private static var current: Teardown?

    private let steps = Mutex<[@Sendable () async throws -> Void]>([])

    /// A test starts something and its suite has no trait that ends it.
    package struct Missing: Error {}

    private init() {}

    /// Runs a body, and ends what it has started.
    package static func scope<T>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> T
    ) async throws -> T {
        let teardown = Teardown()
        var outcome: Result<T, any Error>
        do { outcome = .success(try await $current.withValue(teardown) { try await body() }) } catch { outcome = .failure(error) }
        while let step = teardown.steps.withLock({ $0.popLast() }) {
            do { try await step() } catch { if case .success = outcome { outcome = .failure(error) } }
        }
        return try outcome.get()
    }

    /// Adds a step to the innermost scope.
    package static func add(_ step: @escaping @Sendable () async throws -> Void) throws {
        guard let current else { throw Missing() }
        current.steps.withLock { $0.append(step) }
    }

    /// What a function gives to its body. The body goes on until the scope ends.
    package static func hold<Value: Sendable>(
        _ function: @escaping @Sendable (@escaping @Sendable (Value) async throws -> Void) async throws -> Void
    ) async throws -> Value {
        let (values, given) = AsyncThrowingStream.makeStream(of: Value.self)
        let (end, ending) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            do {
                try await function { value in
                    given.yield(value)
                    for await _ in end {}
                }
                given.finish()
            } catch {
                given.finish(throwing: error)
                throw error
            }
        }
        try add {
            ending.finish()
            try await task.value
        }
        for try await value in values { return value }
        throw CancellationError()
    }
}
