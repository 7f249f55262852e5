import CLibPQ
import Foundation

/// One connection to a PostgreSQL server, used by one thread.
///
/// libpq runs in pipeline mode: `BEGIN` travels with the first statement of a transaction, and the end of a transaction that has
/// nothing to tell is sent without waiting for the answer, which is read before that of the next statement.
final class PostgreSQLConnection {
    /// What a transaction is begun as.
    enum Mode {
        /// One snapshot, no writes. It never fails because of what others write.
        case read
        /// Serializable, for on SQLite bodies run one after the other: rules may rest on what they have read.
        case write

        fileprivate var command: String {
            switch self {
            case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
            case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE"
            }
        }
    }

    /// How long the server may take. Each is asked for with a plain SET, which poolers in session mode and CockroachDB accept.
    struct Timeouts: Sendable {
        /// For one statement.
        var statement = Duration.seconds(10)
        /// For a lock that another transaction holds.
        var lock = Duration.seconds(5)
        /// Between the statements of a transaction, before the server gives its locks to others.
        var idleInTransaction = Duration.seconds(10)
        /// For any answer. Beyond it the server counts as gone, for it did not even keep its own timeouts.
        var answer = Duration.seconds(20)
    }

    private let handle: OpaquePointer
    private let answerTimeout: Duration
    private var statements = PostgreSQLStatements()
    private var unsentBegin: Mode?
    /// How many answers, each with an end mark of its own, are still to be read.
    private var owedAnswers = 0

    /// Connects.
    ///
    /// - Throws: `PostgreSQLFailure.lost` when the server cannot be reached or refuses.
    init(to address: PostgreSQLAddress, timeouts: Timeouts) throws(PostgreSQLFailure) {
        handle = try address.connect()
        answerTimeout = timeouts.answer
        // libpq would print what the server remarks.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        let settings = [
            ("statement_timeout", timeouts.statement), ("lock_timeout", timeouts.lock),
            ("idle_in_transaction_session_timeout", timeouts.idleInTransaction),
        ]
        for (name, value) in settings { try queue("SET \(name) = \(Int(value / .milliseconds(1)))") }
        try endRequest()
        _ = try answer().result.get()
    }

    deinit { PQfinish(handle) }

    /// A number that no other connection to the server has now.
    var serverProcessID: Int32 { PQbackendPID(handle) }

    /// Begins a transaction, with its first statement.
    func begin(_ mode: Mode) { unsentBegin = mode }

    /// Begins a transaction that reads, and prepares nothing for it: on the session of another client it might be there already.
    ///
    /// - Returns: The number of the server session that it runs in.
    /// - Throws: `PostgreSQLFailure`, `StorageError`.
    func beginShowingSession() throws -> Int64? {
        try queue(Mode.read.command)
        try queue("SELECT pg_backend_pid() AS number")
        try endRequest()
        return try answer().result.get().rows().first?.integer("number")
    }

    /// Runs a statement in the transaction.
    ///
    /// - Throws: `PostgreSQLFailure`; all but the end of the transaction then fails, too.
    func run(_ sql: SQL) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let binds = try PostgreSQLBinds(sql.binds)
        var before = 0
        if let mode = unsentBegin {
            if statements.mustStartAnew {
                try queue("DEALLOCATE ALL")
                // BEGIN may not follow another command within one request.
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
        let (succeeded, result) = try answer()
        if isNew, succeeded > before { statements.insert(statement, for: sql.text) }
        switch result {
        case .success(let result): return result
        // A server that does not even begin the transaction is of no use for any: a standby refuses a serializable one.
        case .failure(let failure) where succeeded < before: throw .lost(failure.reason)
        case .failure(let failure): throw failure
        }
    }

    /// Commits the transaction and waits until the server has done it.
    ///
    /// - Throws: `PostgreSQLFailure.unknown` when the connection was lost on the way.
    func commit() throws(PostgreSQLFailure) {
        // Without a statement there is no transaction.
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

    /// Sends the end of a transaction whose outcome nobody waits for.
    ///
    /// A connection that is lost over it shows that to the next transaction.
    func endWithoutWaiting(_ command: String) {
        if takeUnsentBegin() { return }
        do {
            try queue(command)
            try endRequest()
        } catch {
            return
        }
    }

    /// Prepares every statement anew from the next transaction on.
    func startStatementsAnew() { statements.startAnew() }

    private func takeUnsentBegin() -> Bool {
        defer { unsentBegin = nil }
        return unsentBegin != nil
    }

    private func queue(_ command: String) throws(PostgreSQLFailure) {
        try check(PQsendQueryParams(handle, command, 0, nil, nil, nil, nil, 0))
    }

    /// Ends what the server answers together, and sends it.
    private func endRequest() throws(PostgreSQLFailure) {
        try check(PQpipelineSync(handle))
        owedAnswers += 1
    }

    private func check(_ isSent: CInt) throws(PostgreSQLFailure) { if isSent != 1 { throw lost() } }

    private func lost() -> PostgreSQLFailure {
        let message = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init)
        return .lost(message ?? "the connection was lost")
    }

    /// Reads the answers that are owed.
    ///
    /// - Returns: Of the last one, how many commands succeeded, and the result of the last or the first failure. What was not
    ///   waited for has no say.
    /// - Throws: `PostgreSQLFailure.lost`.
    private func answer() throws(PostgreSQLFailure) -> (
        succeeded: Int, result: Result<PostgreSQLResult, PostgreSQLFailure>
    ) {
        var succeeded = 0
        var outcome: Result<PostgreSQLResult, PostgreSQLFailure>?
        var isBetweenCommands = false
        while true {
            try awaitInput()
            guard let next = PQgetResult(handle) else {
                // The end of one command's results; a second one means that nothing more will come.
                guard !isBetweenCommands, PQstatus(handle) == CONNECTION_OK else { throw lost() }
                isBetweenCommands = true
                continue
            }
            isBetweenCommands = false
            let result = PostgreSQLResult(next)
            switch PQresultStatus(next) {
            case PGRES_PIPELINE_SYNC:
                owedAnswers -= 1
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

    private func awaitInput() throws(PostgreSQLFailure) {
        while PQisBusy(handle) == 1 {
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            switch poll(&descriptor, 1, Int32(answerTimeout / .milliseconds(1))) {
            case 0: throw .lost("the server has not answered for \(answerTimeout)")
            case -1 where errno == EINTR: continue
            default: if PQconsumeInput(handle) != 1 { throw lost() }
            }
        }
    }
}
