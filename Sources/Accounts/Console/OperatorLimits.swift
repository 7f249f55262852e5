import Project
import Storage

/// What operators may do only so often, because it could tell them phone numbers that they do not see.
package struct OperatorLimits: Sendable {
    let base: OperatorServices

    /// Searches for a phone number in an hour of an operator who does not see whole phone numbers.
    package static let numberSearchesPerHour = 60

    /// Counts a search for a whole phone number before it begins. Operators who see whole phone numbers learn nothing from one, so theirs
    /// do not count.
    ///
    /// - Throws: ``OperatorError/tooManyAttempts(retryAfterSeconds:)``.
    package func numberSearch(by person: ConsoleOperator) async throws {
        guard !person.role.seesWholeNumbers else { return }
        let (scope, bucket) = (base.scope, ThrottleBucket.numberSearches(of: person.operatorID))
        _ = try await base.throttle.counting { now, transaction in
            try transaction.countFixed(scope, bucket, at: now, limit: Self.numberSearchesPerHour, .searches)
        }
    }
}
