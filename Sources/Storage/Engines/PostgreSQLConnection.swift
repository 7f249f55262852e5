import CLibPQ
import Foundation

/// One connection to a PostgreSQL server, used by one thread.
///
/// libpq runs in pipeline mode. `BEGIN` is sent together with the first statement of a transaction. The end of a transaction
/// without a result is sent without waiting; its answer is read before that of the next statement.
final class PostgreSQLConnection {
    /// The kind of a transaction.
    enum Mode {
        /// One snapshot, no writes. It never fails because of other transactions' writes.
        case read
        /// Serializable, because on SQLite bodies run one after the other, and rules may depend on what they have read.
        case write

        fileprivate var command: String {
            switch self {
            case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
            case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE"
            }
        }
    }

    /// How long the server may take. Each is set with a plain SET, which poolers in session mode and CockroachDB accept.
    struct Timeouts: Sendable {
        /// For one statement.
        var statement: Duration
        /// For a lock that another transaction holds.
        var lock: Duration
        /// Between the statements of a transaction, before the server ends it and frees its locks.
        var idleInTransaction: Duration
        /// For any answer. A server that takes longer has not kept its own timeouts and counts as lost.
        var answer: Duration

        /// Timeouts around the bound for an answer. A server that works refuses a slow statement before that, and keeps the connection.
        init(answer: Duration) {
            self.answer = answer
            (statement, lock, idleInTransaction) = (answer * 4 / 5, answer / 2, .seconds(10))
        }

        /// Timeouts for a task whose statements may be slow, such as a migration. Only locks are not waited for much longer, because
        /// other transactions wait behind it.
        static var slow: Timeouts {
            var timeouts = Timeouts(answer: .seconds(3600))
            timeouts.lock = .seconds(5)
            return timeouts
        }

        /// The same time for everything.
        static func patient(_ patience: Duration) -> Timeouts {
            var timeouts = Timeouts(answer: patience)
            (timeouts.statement, timeouts.lock, timeouts.idleInTransaction) = (patience, patience, patience)
            return timeouts
        }
    }

    private let handle: OpaquePointer
    private let answerTimeout: Duration
    private var statements = PostgreSQLStatements()
    private var unsentBegin: Mode?
    /// When the call of the transaction ends; `nil` without a bound.
    private var callEnd: ContinuousClock.Instant?
    /// How many answers are still to be read. Each has an end mark.
    private var owedAnswers = 0
    /// When the server was last known to answer.
    private(set) var lastAnswer = ContinuousClock.now
    /// When it last sent anything, or when it got the first request of those that it has not answered.
    private var lastSign = ContinuousClock.now
    /// Since when the server has been silent, after it has been given up for that.
    private(set) var silentSince: ContinuousClock.Instant?

    /// Connects.
    init(to address: PostgreSQLAddress, timeouts: Timeouts) throws(PostgreSQLFailure) {
        handle = try address.connect()
        answerTimeout = timeouts.answer
        // Without this, libpq prints the server's notices.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // A server that reads nothing must not hold up what is sent to it.
        guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else { throw lost() }
        let settings = [
            ("statement_timeout", timeouts.statement), ("lock_timeout", timeouts.lock),
            ("idle_in_transaction_session_timeout", timeouts.idleInTransaction),
        ]
        for (name, value) in settings { try queue("SET \(name) = \(Int(value / .milliseconds(1)))") }
        try queue("SHOW transaction_read_only")
        try endRequest()
        let settled = try answer().result.get()
        let takesWrites = (try? settled.rows().first?.text("transaction_read_only")) == "off"
        guard takesWrites || !address.needsWrites else { throw .lost("the server takes no writes") }
    }

    deinit { PQfinish(handle) }

    /// A number that no other open connection to the server has.
    var serverProcessID: Int32 { PQbackendPID(handle) }

    /// Begins a transaction. `BEGIN` is sent with its first statement.
    func begin(_ mode: Mode, until end: ContinuousClock.Instant?) { (unsentBegin, callEnd) = (mode, end) }

    /// Begins a read transaction without preparing a statement, because another client's session might already have one of that
    /// name.
    ///
    /// - Returns: The number of the server session that runs the transaction.
    func beginShowingSession() throws -> Int64? {
        try queue(Mode.read.command)
        try queue("SELECT pg_backend_pid() AS number")
        try endRequest()
        return try answer().result.get().rows().first?.integer("number")
    }

    /// Runs a statement in the transaction.
    ///
    /// - Throws: All later statements of the transaction fail too; only its end may follow.
    func run(_ sql: SQL) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let binds = try PostgreSQLBinds(sql.binds)
        var before = 0
        if let mode = unsentBegin {
            if statements.mustStartAnew {
                try queue("DEALLOCATE ALL")
                // BEGIN must not follow another command within one request.
                try endRequest()
                statements.forgetAll()
            }
            try queue(mode.command)
            unsentBegin = nil
            before += 1
        }
        let (statement, isNew) =
            switch statements.plan(sql.text, types: binds.types) {
            case .run(let known): (known, false)
            case .prepare(let new): (new, true)
            }
        if isNew {
            let count = CInt(statement.types.count)
            try check(PQsendPrepare(handle, statement.name, sql.numberedText(), count, statement.types))
        }
        try check(binds.send { PQsendQueryPrepared(handle, statement.name, $0, $1, $2, $3, 0) })
        try endRequest()
        let (succeeded, result): (Int, Result<PostgreSQLResult, PostgreSQLFailure>)
        do {
            (succeeded, result) = try answer()
        } catch {
            // The server may have prepared the statement.
            if isNew { statements.startAnew() }
            throw error
        }
        if isNew, succeeded > before { statements.insert(statement, for: sql.text) }
        switch result {
        case .success(let result): return result
        // A server that refuses to begin the transaction is useless: a standby refuses serializable ones.
        case .failure(let failure) where succeeded < before: throw .lost(failure.reason)
        case .failure(let failure): throw failure
        }
    }

    /// Commits the transaction and waits until the server has done it.
    ///
    /// - Throws: `PostgreSQLFailure.unknown` when the connection was lost meanwhile, or no answer came in time.
    func commit() throws(PostgreSQLFailure) {
        // Before the first statement the server has no transaction.
        if takeUnsentBegin() { return }
        let result: Result<PostgreSQLResult, PostgreSQLFailure>
        try queue("COMMIT")
        do {
            try endRequest()
            result = try answer().result
        } catch {
            throw .unknown
        }
        guard try result.get().command == "COMMIT" else {
            throw .refused(.other("PostgreSQL: the server rolled the transaction back"))
        }
    }

    /// Sends the end of a transaction without waiting for the answer.
    ///
    /// If the connection is lost meanwhile, the next transaction finds out.
    func endWithoutWaiting(_ command: String) {
        if takeUnsentBegin() { return }
        do {
            try queue(command)
            try endRequest()
        } catch {
            return
        }
    }

    /// Prepares every statement again, from the next transaction on.
    func startStatementsAnew() { statements.startAnew() }

    private func takeUnsentBegin() -> Bool {
        defer { unsentBegin = nil }
        return unsentBegin != nil
    }

    private func queue(_ command: String) throws(PostgreSQLFailure) {
        try check(PQsendQueryParams(handle, command, 0, nil, nil, nil, nil, 0))
    }

    /// Marks the end of the request and sends it.
    private func endRequest() throws(PostgreSQLFailure) {
        try check(PQpipelineSync(handle))
        if owedAnswers == 0 { lastSign = .now }
        owedAnswers += 1
    }

    private func check(_ isSent: CInt) throws(PostgreSQLFailure) { if isSent != 1 { throw lost() } }

    private func lost() -> PostgreSQLFailure {
        let message = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init)
        return .lost(message ?? "the connection was lost")
    }

    /// Reads all outstanding answers.
    ///
    /// - Returns: For the last answer: how many commands succeeded, and the result of the last command or the first failure.
    ///   Earlier answers, which no caller waits for, are dropped.
    /// - Throws: `PostgreSQLFailure.lost`, `silent` or `late`; after `late` the answers are still owed.
    private func answer() throws(PostgreSQLFailure) -> (
        succeeded: Int, result: Result<PostgreSQLResult, PostgreSQLFailure>
    ) {
        var succeeded = 0
        var outcome: Result<PostgreSQLResult, PostgreSQLFailure>?
        var isBetweenCommands = false
        while true {
            try awaitInput()
            guard let next = PQgetResult(handle) else {
                // The end of one command's results. A second one in a row means that there are no further answers.
                guard !isBetweenCommands, PQstatus(handle) == CONNECTION_OK else { throw lost() }
                isBetweenCommands = true
                continue
            }
            isBetweenCommands = false
            let result = PostgreSQLResult(next)
            switch PQresultStatus(next) {
            case PGRES_PIPELINE_SYNC:
                owedAnswers -= 1
                lastAnswer = .now
                if owedAnswers == 0 { return (succeeded, outcome ?? .failure(lost())) }
                (succeeded, outcome) = (0, nil)
            case PGRES_PIPELINE_ABORTED: break
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                succeeded += 1
                outcome = .success(result)
            default:
                let failure = PostgreSQLFailure(result: next)
                if case .lost = failure { throw failure }
                outcome = .failure(failure)
            }
        }
    }

    // Even a server that has owed an answer for long may have sent it meanwhile.
    private static let shortestLook = Duration.milliseconds(100)

    private func awaitInput() throws(PostgreSQLFailure) {
        guard PQisBusy(handle) == 1 else { return }
        let start = ContinuousClock.now
        while PQisBusy(handle) == 1 {
            let silenceEnd = max(lastSign + answerTimeout, start + Self.shortestLook)
            let end = callEnd.map { min($0, silenceEnd) } ?? silenceEnd
            switch try awaitEvents(until: end) {
            case 0 where ContinuousClock.now < end: continue
            case 0 where end < silenceEnd: throw .late
            case 0:
                silentSince = lastSign
                throw .silent(for: answerTimeout)
            case let events where events & ~POLLOUT == 0: continue
            default:
                guard PQconsumeInput(handle) == 1 else { throw lost() }
                lastSign = .now
            }
        }
    }

    /// Waits for the server to send something, or to take what is still to be sent.
    ///
    /// - Returns: What happened, as `poll` says it; 0 when nothing did.
    private func awaitEvents(until end: ContinuousClock.Instant) throws(PostgreSQLFailure) -> Int32 {
        let unsent = PQflush(handle)
        guard unsent >= 0 else { throw lost() }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN), revents: 0)
        // A part of a millisecond counts as a whole one, so that no wait ends early.
        let milliseconds = max((end - .now) / .milliseconds(1), 0).rounded(.up)
        let count = poll(&descriptor, 1, Int32(clamping: Int64(milliseconds)))
        return count > 0 ? Int32(descriptor.revents) : 0
    }
}
