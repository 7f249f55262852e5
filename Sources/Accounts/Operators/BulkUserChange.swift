import Foundation
package import Project
package import Storage
import Tokens

/// Changes every user that a search finds, step by step: first a dry run that counts them, then the change.
///
/// What a step leaves for the next one is in a sealed text, and an operator may stop at any step. A search that finds users along an index
/// of what the action does not change meets every user once. The text can be sent again, so the store counts how many users a run has
/// changed: in the transaction of each change, and never more than its dry run found.
package struct BulkUserChange: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let finder: AccountFinder

    /// What is done to each user.
    package enum Action: String, Sendable, CaseIterable {
        case disable
        case enable
        case delete
    }

    /// How far a run is.
    package struct Progress: Sendable {
        package let action: Action
        package let isDryRun: Bool
        package fileprivate(set) var examined: Int64 = 0
        /// Users that the search found.
        package fileprivate(set) var matching: Int64 = 0
        package fileprivate(set) var changed: Int64 = 0
        /// Users that could not be changed, for example because they are gone.
        package fileprivate(set) var failed: Int64 = 0
        /// How many the dry run found. The change concerns no more users than that.
        package fileprivate(set) var expected: Int64 = 0
        package fileprivate(set) var isDone = false
        fileprivate var place = ""
        fileprivate let begunAt: Timestamp
        /// Names the count of a run; empty in a dry run.
        fileprivate let runID: String

        fileprivate init(_ action: Action, isDryRun: Bool, runID: String = "", at time: Timestamp) {
            self.action = action
            self.isDryRun = isDryRun
            self.runID = runID
            begunAt = time
        }
    }

    private static let pageSize = 100
    // A step is a request of a browser. A dry run reads several pages in it.
    private static let dryRunPages = 5
    private static let validTime = Duration.seconds(3600)
    // The count outlives the last text of its run.
    private static let countStays = Duration.seconds(2 * 3600)
    private static let label = "bulk "

    /// Begins a dry run.
    package func dryRun(of action: Action) -> Progress { Progress(action, isDryRun: true, at: environment.now()) }

    /// Begins the change after its dry run. A run that has begun needs no further proof of a factor.
    ///
    /// - Throws: `APIError` `INVALID_PAGE_SELECTION` for one that is not.
    package func begin(after dryRun: Progress) throws -> Progress {
        guard dryRun.isDryRun, dryRun.isDone else { throw APIError(.invalidPageSelection) }
        let runID = environment.randomText(length: 20)
        var progress = Progress(dryRun.action, isDryRun: false, runID: runID, at: environment.now())
        progress.expected = dryRun.matching
        return progress
    }

    /// Does the next step.
    ///
    /// - Parameters:
    ///   - query: The search, the same at every step.
    ///   - change: Changes one user by its id, together with the part of the transaction that counts it.
    /// - Throws: `APIError`, `StorageError`; the step may be done again.
    package func step(
        _ progress: Progress,
        _ query: AccountQuery,
        context: CallContext,
        change: (Action, String, @escaping TransactionPart) async throws -> Void
    ) async throws -> Progress {
        var progress = progress
        let counting = counting(progress, context.scope)
        for _ in 0..<(progress.isDryRun ? Self.dryRunPages : 1) where !progress.isDone {
            let size = progress.isDryRun ? AccountFinder.largestPage : Self.pageSize
            let page = try await finder.page(query, size: size, token: progress.place, in: context.scope)
            if !progress.isDryRun {
                try await Deadline.ofEachTransaction {
                    for view in page.accounts.prefix(Int(clamping: max(progress.expected - progress.matching, 0)))
                    where !progress.isDone {
                        try await Self.change(view.account.localID, &progress) { action, user in
                            try await change(action, user, counting)
                        }
                    }
                }
            }
            progress.examined = page.examined
            progress.matching += Int64(page.accounts.count)
            progress.place = page.nextToken ?? ""
            // Users who match only since the dry run are none that the operator, or another one who agreed, knows of.
            progress.isDone =
                progress.isDone || page.nextToken == nil || !progress.isDryRun && progress.matching >= progress.expected
        }
        return progress
    }

    /// The run has changed as many users as its dry run found.
    private struct Exhausted: Error {}

    private func counting(_ progress: Progress, _ scope: Scope) -> TransactionPart {
        let (bucket, expected, now) = (ThrottleBucket.changes(ofRun: progress.runID), progress.expected, environment.now())
        return { transaction in
            let changed = try transaction.countThrottle(scope, bucket: bucket, at: now, window: .fixed(Self.countStays))
            guard changed.count <= expected else { throw Exhausted() }
        }
    }

    private static func change(
        _ localID: String,
        _ progress: inout Progress,
        _ change: (Action, String) async throws -> Void
    ) async throws {
        do {
            try await change(progress.action, localID)
            progress.changed += 1
        } catch is Exhausted {
            progress.isDone = true
        } catch let error as APIError where !error.isOverload {
            progress.failed += 1
        } catch OperatorError.notAllowed {
            progress.failed += 1
        }
    }

    /// Seals how far a run is, for one operator and one search.
    package func token(_ progress: Progress, _ query: AccountQuery, context: CallContext) throws -> String {
        let numbers = [progress.examined, progress.matching, progress.changed, progress.failed, progress.expected]
        let parts: JSONValue = [
            "query": .string(query.fingerprint), "actor": .string(context.actor), "action": .string(progress.action.rawValue),
            "dry": .bool(progress.isDryRun), "done": .bool(progress.isDone),
            "place": .string(progress.place), "run": .string(progress.runID), "begun": .integer(progress.begunAt.milliseconds),
            "numbers": .array(numbers.map(JSONValue.integer)),
        ]
        return try sealer.seal(Data(Self.label.utf8) + Data(parts.text.utf8), for: .pageToken, scope: context.scope)
    }

    /// Opens what ``token(_:_:context:)`` sealed within the last hour.
    ///
    /// - Throws: `APIError` `INVALID_PAGE_SELECTION` for anything else, as for another search or operator.
    package func progress(of token: String, _ query: AccountQuery, context: CallContext) throws -> Progress {
        guard let opened = try? sealer.open(token, for: .pageToken, scope: context.scope),
            opened.starts(with: Self.label.utf8),
            let parts = try? JSONValue.parse(opened.dropFirst(Self.label.utf8.count)),
            bytesEqual(parts["query"]?.string, query.fingerprint), bytesEqual(parts["actor"]?.string, context.actor),
            let action = parts["action"]?.string.flatMap(Action.init), let place = parts["place"]?.string,
            let runID = parts["run"]?.string, let begun = parts["begun"]?.integer,
            let numbers = parts["numbers"]?.array?.compactMap(\.integer), numbers.count == 5
        else { throw APIError(.invalidPageSelection) }
        var progress = Progress(action, isDryRun: parts["dry"] == true, runID: runID, at: Timestamp(milliseconds: begun))
        let now = environment.now()
        guard now < progress.begunAt.advanced(by: Self.validTime) else { throw APIError(.invalidPageSelection) }
        progress.isDone = parts["done"] == true
        progress.place = place
        (progress.examined, progress.matching, progress.changed) = (numbers[0], numbers[1], numbers[2])
        (progress.failed, progress.expected) = (numbers[3], numbers[4])
        return progress
    }
}
