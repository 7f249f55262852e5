import TestKit
import Testing

/// Ends what a test has started when the test is over.
struct TeardownTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Teardown.scope { try await function() }
    }
}

extension Trait where Self == TeardownTrait {
    /// Ends with each test of the suite what the test has started.
    static var teardown: Self { Self() }
}
