import Project
import Storage

/// Dry runs of imports, which tell what the store has of the rows of a file.
package struct OperatorTrials: Sendable {
    let base: OperatorGround

    /// Dry runs in an hour of an operator who does not see whole phone numbers, and could guess them with many more.
    package static let mostPerHour = 30

    /// Counts a dry run before it begins. Operators who see whole phone numbers learn nothing from one, so theirs do not count.
    ///
    /// - Parameter current: The operator.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `StorageError`.
    package func begin(by current: ConsoleOperator) async throws {
        guard !current.role.seesWholeNumbers else { return }
        let (now, scope) = (base.environment.now(), base.scope)
        do {
            _ = try await base.database.write { transaction in
                let bucket = ThrottleBucket.dryRuns(of: current.operatorID)
                return try transaction.countHour(scope, bucket, at: now, limit: Self.mostPerHour, .dryRuns)
            }
        } catch let error as APIError where error.limit != nil {
            throw OperatorError.tooManyAttempts(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }
}
