import CoreMetrics
import Federation
import Logging
package import Project
package import Storage
package import Tokens

/// Writes refused calls to the audit trail, in the background.
///
/// The answer of a refused call never waits for its record. Equal refusals within a minute are one record with a count. What goes
/// beyond the bounds of one network or of the node is counted by code alone, so that strangers cannot fill the trail.
package final class RefusalAudit: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let dailyCounts: DailyCounts
    private let subjects: RefusalSubjects
    private let state = LockedState(State())

    // Equal refusals within this time are one record.
    static let window = Duration.seconds(60)
    // The most different refusals that wait for the store, in all and of one network.
    private static let maximumWaiting = 2048
    private static let maximumWaitingPerNetwork = 64
    // The most records that one node begins within a minute, and those of one network within an hour on all nodes.
    private static let maximumRecordsPerWindow = 1200
    private static let perAddressPerHour = 1000
    private static let batch = 100

    private struct State: Sendable {
        var waiting: [Waiting: Tally] = [:]
        var perNetwork: [ClientNetwork: Share] = [:]
        /// The records that equal refusals are counted on.
        var open: [RefusalRecord.Key: RefusalRecord.Open] = [:]
        var window = RecordWindow()
        var isWriting = false
        var isFailing = false

        /// Lets a refusal wait for the store, within the bounds. Returns whether it waits.
        mutating func keep(_ waiting: Waiting, _ tally: Tally) -> Bool {
            var key = waiting
            if self.waiting[key]?.add(tally) != nil { return true }
            let network = ClientNetwork(key.known.address)
            // A network that says something new with each call is counted without what it says.
            let limits = network.limits(RefusalAudit.maximumWaitingPerNetwork)
            if limits.contains(where: { perNetwork[$0.network]?.count ?? 0 >= $0.limit }) {
                key.subject = nil
                key.known.provider = nil
                key.known.scope = key.known.scope.project
                if key.known.address != perNetwork[network]?.address {
                    // Nobody's refusals are counted on the record of another address.
                    key.known = .rest(key.known.code, key.known.scope)
                }
                if self.waiting[key]?.add(tally) != nil { return true }
            }
            guard self.waiting.count < RefusalAudit.maximumWaiting else { return false }
            self.waiting[key] = tally
            for limit in limits { perNetwork[limit.network, default: Share(address: key.known.address)].count += 1 }
            return true
        }
    }

    /// What makes refusals equal before their accounts are known.
    private struct Waiting: Sendable, Hashable {
        /// Without the account.
        var known: RefusalRecord.Key
        var subject: RefusedCall.Subject?
    }

    /// What one network has waiting.
    private struct Share: Sendable {
        var count = 0
        /// The address that further refusals are counted for, if they are its own.
        let address: String?
    }

    /// How many records were begun in the present minute.
    private struct RecordWindow: Sendable {
        var begunAt = Timestamp(milliseconds: 0)
        var records = 0
    }

    private typealias Tally = RefusalRecord.Tally

    /// - Parameter mode: Whether refresh tokens have several spellings.
    package init(
        database: any Database,
        environment: ServerEnvironment,
        idTokens: TokenIssuer,
        mode: ModeRules,
        dailyCounts: DailyCounts
    ) {
        self.dailyCounts = dailyCounts
        self.database = database
        self.environment = environment
        subjects = RefusalSubjects(database: database, idTokens: idTokens, mode: mode)
    }

    // Clients name providers, so only those of a fixed set become labels.
    private static func label(of provider: String) -> String {
        let own: Set<String> = ["custom", "password", "phone", "anonymous", "emailLink", "passkey", "secondFactor"]
        if own.contains(provider) { return provider }
        guard let facts = Providers.facts(of: provider) else { return "other" }
        // A family's ids begin with its name and a dot.
        return facts.isFamily ? String(facts.id.dropLast()) : facts.id
    }

    /// Notes a refusal. Nothing is read or written here.
    package func record(_ refusal: RefusedCall) {
        if let provider = refusal.provider {
            let labels = [("provider", Self.label(of: provider)), ("code", refusal.code)]
            environment.count("postern_sign_in_refusals_total", labels)
            dailyCounts.note(.refusals, refusal.code, in: refusal.scope)
        }
        let now = environment.now()
        let known = RefusalRecord.Key(
            code: refusal.code,
            provider: refusal.provider,
            scope: refusal.scope,
            actor: refusal.actor,
            address: refusal.address
        )
        let tally = Tally(
            count: 1,
            firstAt: now,
            lastAt: now,
            requestID: refusal.requestID,
            steps: refusal.steps,
            heldBy: refusal.heldBy
        )
        let isKept = state.withLock { $0.keep(Waiting(known: known, subject: refusal.subject), tally) }
        if !isKept { drop(1) }
    }

    /// Writes what waits. One call writes at a time; another returns at once.
    package func write() async {
        let taken = state.withLock { state -> [(Waiting, Tally)] in
            guard !state.isWriting, !state.waiting.isEmpty else { return [] }
            state.isWriting = true
            defer {
                state.waiting = [:]
                state.perNetwork = [:]
            }
            return state.waiting.map { ($0.key, $0.value) }
        }
        guard !taken.isEmpty else { return }
        for start in stride(from: 0, to: taken.count, by: Self.batch) {
            await write(Array(taken[start..<min(start + Self.batch, taken.count)]))
        }
        state.withLock { $0.isWriting = false }
    }

    private func write(_ batch: [(key: Waiting, tally: Tally)]) async {
        do {
            try await store(try await resolved(batch))
            state.withLock { $0.isFailing = false }
        } catch StorageError.outcomeUnknown {
            // Written or not: a second time would count twice.
        } catch let error as StorageError where !Self.isOfTheStore(error) && batch.count > 1 {
            await writeSingly(batch)
        } catch {
            wait(batch, error)
        }
    }

    // Whether an error befalls every record alike.
    private static func isOfTheStore(_ error: StorageError) -> Bool { error.isLoggedAtSource || error == .closed }

    // A record that the store refuses comes back with the same error. It is dropped when others of its batch are taken.
    private func writeSingly(_ batch: [(key: Waiting, tally: Tally)]) async {
        var waiting: [(key: Waiting, tally: Tally)] = []
        var refused: [(entry: (key: Waiting, tally: Tally), error: any Error)] = []
        for entry in batch {
            do {
                try await store(try await resolved([entry]))
            } catch StorageError.outcomeUnknown {
                // As for a whole batch.
            } catch let error as StorageError where !Self.isOfTheStore(error) {
                refused.append((entry, error))
            } catch {
                waiting.append(entry)
            }
        }
        if let last = refused.last, refused.count + waiting.count == batch.count { return wait(batch, last.error) }
        state.withLock { $0.isFailing = false }
        putBack(waiting)
        guard let last = refused.last else { return }
        environment.logger.failure("refusals do not enter the audit trail", last.error, level: .warning)
        drop(refused.reduce(0) { $0 + $1.entry.tally.count })
    }

    private func wait(_ batch: [(key: Waiting, tally: Tally)], _ error: any Error) {
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew { environment.logger.failure("refusals wait for the audit trail", error, level: .warning) }
        putBack(batch)
    }

    private func putBack(_ batch: [(key: Waiting, tally: Tally)]) {
        let lost = state.withLock { state in
            batch.reduce(0) { lost, entry in state.keep(entry.key, entry.tally) ? lost : lost + entry.tally.count }
        }
        if lost > 0 { drop(lost) }
    }

    // Finds accounts and tenants, after which different refusals may be equal.
    private func resolved(_ batch: [(key: Waiting, tally: Tally)]) async throws -> [RefusalRecord] {
        let found = try await subjects.find(batch.map { ($0.key.known.scope, $0.key.subject) })
        var tallies: [RefusalRecord.Key: Tally] = [:]
        for (entry, subject) in zip(batch, found) {
            var key = entry.key.known
            if !key.isBeyondLimit { (key.scope, key.localID) = (subject.scope, subject.localID) }
            if tallies[key]?.add(entry.tally) == nil { tallies[key] = entry.tally }
        }
        return tallies.map { RefusalRecord(key: $0.key, tally: $0.value, eventID: environment.newEventID()) }
    }

    private func store(_ records: [RefusalRecord]) async throws {
        let now = environment.steadyNow()
        // In one order on all nodes, so that no two wait for each other's counts.
        let records = records.map { (network: ClientNetwork($0.key.address).text, record: $0) }
            .sorted { $0.network < $1.network }
            .map(\.record)
        let (open, room) = state.withLock { state in
            state.open = state.open.filter { $0.value.endsAt > now }
            if now < state.window.begunAt || now >= state.window.begunAt.advanced(by: Self.window) {
                state.window = RecordWindow(begunAt: now)
            }
            return (state.open, Self.maximumRecordsPerWindow - state.window.records)
        }
        let spare = records.map { _ in environment.newEventID() }
        let begun = try await database.write { transaction in
            var entries = RefusalEntries(open: open, room: room, now: now, perAddressPerHour: Self.perAddressPerHour)
            for (record, spareID) in zip(records, spare) { try entries.enter(record, spareID: spareID, in: transaction) }
            return entries.begun
        }
        state.withLock { state in
            state.window.records += begun.count
            state.open.merge(begun) { $1 }
        }
    }

    private func drop(_ count: Int) {
        Counter(label: "postern_audit_dropped_total", factory: environment.metrics).increment(by: Int64(count))
    }
}
