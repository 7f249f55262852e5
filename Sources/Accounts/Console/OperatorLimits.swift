import Project
import Storage

/// What operators may do only so often, because it could tell them phone numbers that they do not see.
package struct OperatorLimits: Sendable {
    let base: OperatorGround

    /// Dry runs in an hour of an operator who does not see whole phone numbers. A dry run tells what the store has of many rows.
    package static let dryRunsPerHour = 30
    /// Searches for a phone number in an hour of an operator who does not see whole phone numbers.
    package static let numberSearchesPerHour = 60

    /// Counts a dry run before it begins. Operators who see whole phone numbers learn nothing from one, so theirs do not count.
    ///
    /// - Parameter person: The operator.
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``; `StorageError`.
    package func dryRun(by person: ConsoleOperator) async throws {
        guard !person.role.seesWholeNumbers else { return }
        try await count(ThrottleBucket.dryRuns(of: person.operatorID), upTo: Self.dryRunsPerHour, .dryRuns)
    }

    /// Counts a search for a whole phone number, as ``dryRun(by:)``.
    ///
    /// - Throws: As ``dryRun(by:)``.
    package func numberSearch(by person: ConsoleOperator) async throws {
        guard !person.role.seesWholeNumbers else { return }
        try await count(ThrottleBucket.numberSearches(of: person.operatorID), upTo: Self.numberSearchesPerHour, .searches)
    }

    private func count(_ bucket: String, upTo limit: Int, _ event: ThrottledEvent) async throws {
        let (now, scope) = (base.environment.now(), base.scope)
        do {
            _ = try await base.database.write { try $0.countHour(scope, bucket, at: now, limit: limit, event) }
        } catch let error as APIError where error.limit != nil {
            throw OperatorError.tooManyAttempts(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }
}
