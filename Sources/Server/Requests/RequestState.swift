import HTTPAPI
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Whose turn it is on a connection of HTTP/1.1 or on a stream of HTTP/2, and what becomes of what comes and goes (threat cases RES-03,
/// RES-04 and WEB-06).
///
/// It does no I/O: ``RequestHandler`` tells it what has come, what leaves and what time it is, and does what it says. What its requests
/// take of memory stands in `RequestState+Memory.swift`, and for how long it waits in `RequestState+Time.swift`.
struct RequestState {
    /// What becomes of a part of a request.
    enum Step {
        case handedOn
        case ignored
        /// The client gets this, and the connection or stream ends.
        case refused(RefusedCall)
        /// What waits for the body hears of this.
        case failed(TransportError)
        case closed
    }

    /// The answer to a request that no route receives. To `HEAD` it has no body: a client would take that for its next answer (RFC 9110
    /// §9.3.2).
    struct RefusedCall: Error {
        let head: HTTPResponse
        let body: ByteBuffer?

        init(_ answer: UnreadableRequest, isToHead: Bool = false) {
            head = answer.head
            body = isToHead ? nil : answer.body
        }
    }

    /// How many bytes are read of a request that has its answer, if its client did not say that there are few. A connection with more
    /// cannot be used again.
    static let mostSkipped = 64 * 1024
    /// What a client may announce and send in spite of its answer: the largest body that an endpoint takes. Many clients read no answer
    /// before they have sent all.
    static let mostAnnounced = 32 << 20

    let connection: ConnectionGuard
    let isStream: Bool
    /// Requests without a whole answer, the oldest first: HTTP/1.1 has several when they are sent ahead.
    var exchanges = CircularBuffer<Exchange>()
    /// Whether a request is being read: the last of the exchanges, unless it has its answer already.
    private(set) var isReading = false
    private(set) var hasAnswerBegun = false
    /// Whether the answer says that the connection ends after it.
    private(set) var isLast = false
    // Whether the latest request said so. The server beneath reads none behind it.
    private var isFinal = false
    /// Whether a body has been refused; the connection ends with the answer.
    private(set) var isRefused = false
    /// Whether nothing more is done: the connection or stream is about to be closed.
    var isClosing = false
    /// Whether nothing more is read.
    var isDeaf = false
    /// Whether the connection is to be closed behind the last answer, because the server stops.
    var endsWhenAnswered = false
    // How many requests have come.
    private var requests: UInt64 = 0
    // The length of the body that is being read; `nil` when its client did not say.
    private var announced: Int?
    private var skipped = 0
    // Whether the latest request waits to be told that its body is wanted.
    private var isOwedContinue = false
    private var unreadable: RefusedCall?
    var memory: Memory
    var time: Time

    init(_ connection: ConnectionGuard, isStream: Bool, patience: Patience) {
        self.connection = connection
        self.isStream = isStream
        memory = Memory(budget: connection.listenerLimits.budget)
        time = Time(patience: patience)
    }

    /// Whether a request is worked on.
    var isServersTurn: Bool { exchanges.first?.isComplete == true }

    /// The request that has no byte of an answer and waits for the rest of its body. Those before it are answered.
    var waiting: UInt64? { isReading && exchanges.count == 1 && !hasAnswerBegun ? requests : nil }

    /// Whether the server stops and all is answered.
    var isOver: Bool { endsWhenAnswered && exchanges.isEmpty }

    private var isBounded: Bool { announced.map { $0 <= Self.mostAnnounced } ?? false }

    // MARK: - Requests

    /// The head of a request has come.
    ///
    /// - Parameter peer: The address of the connection's other end.
    mutating func readHead(_ head: HTTPRequest, from peer: @autoclosure () -> String?, at now: NIODeadline) -> Step {
        // The client was told, or has said itself, that there is no next one.
        if isLast || isFinal { isDeaf = true }
        if isDeaf { return .ignored }
        requests += 1
        isReading = true
        announced = head.headerFields[.contentLength].flatMap { Int($0) }
        isFinal = !isStream && head.headerFields[.connection]?.lowercased() == "close"
        if isClosing || isRefused { return .ignored }
        let exchange: Exchange
        do { exchange = try admit(head, from: peer()) } catch {
            isClosing = true
            isLast = !isStream && !isBounded
            time.leave(isBounded ? .close : .cut, at: now)
            return exchanges.isEmpty ? .refused(error) : .closed
        }
        exchanges.append(exchange)
        connection.exchanges += 1
        guard setTurn() else { return .ignored }
        isOwedContinue =
            head.headerFields[.expect]?.lowercased() == "100-continue" && head.headerFields[.contentLength] != "0"
        time.requestBegins(at: now)
        return .handedOn
    }

    /// A part of a body has come.
    mutating func readBody(_ count: Int, at now: NIODeadline) -> Step {
        if isDeaf { return .ignored }
        // What comes after its answer would only be kept until it is thrown away.
        if exchanges.isEmpty {
            skip(count, at: now)
            return .ignored
        }
        guard isReading, !isClosing, !isRefused else { return .ignored }
        isOwedContinue = false
        do { try charge(count) } catch {
            if error == .ended { return .ignored }
            // The handler that waits for the body gives the answer, unless an answer has already begun.
            if exchanges.count == 1, !hasAnswerBegun {
                isRefused = true
                return .failed(TransportError(error))
            }
            isClosing = true
            return .closed
        }
        return .handedOn
    }

    /// The end of a request has come.
    mutating func readEnd(at now: NIODeadline) -> Step {
        if isDeaf { return .ignored }
        let wasReading = isReading
        isReading = false
        skipped = 0
        if isClosing || isRefused { return .ignored }
        if wasReading, !exchanges.isEmpty, !complete() { return .ignored }
        isOwedContinue = false
        time.requestEnds()
        if exchanges.isEmpty { time.rests(at: now) }
        return .handedOn
    }

    /// Whether the client of the latest request is to be told now that its body is wanted (RFC 9110 §10.1.1). The answers to the
    /// requests before come first, and a client that has not waited is not told.
    mutating func takeContinue() -> Bool {
        guard isOwedContinue, exchanges.count == 1 else { return false }
        isOwedContinue = false
        return true
    }

    private mutating func skip(_ count: Int, at now: NIODeadline) {
        skipped += count
        guard skipped > Self.mostSkipped, !isBounded else { return }
        isDeaf = true
        time.leave(.cut, at: now)
    }

    // MARK: - Answers

    /// The head of an answer leaves, which is not the last before the answer itself when it is informational.
    ///
    /// - Returns: Whether it has to say that the connection ends.
    mutating func answerHead(_ status: HTTPResponse.Status) -> Bool {
        if status.kind == .informational { return false }
        hasAnswerBegun = true
        // The request itself is answered before its body has come.
        if exchanges.count == 1 { isOwedContinue = false }
        // The client must not send its next request behind a body that is not read.
        guard !isStream, isReading, exchanges.count == 1, !isBounded else { return false }
        isLast = true
        return true
    }

    /// The end of an answer leaves.
    ///
    /// - Returns: The exchange that is over once its client has taken the answer.
    mutating func answerEnd(at now: NIODeadline) -> Exchange? {
        hasAnswerBegun = false
        memory.hasBodyBegun = false
        let exchange = exchanges.popFirst()
        if let exchange {
            if exchange.isComplete { connection.end() }
            memory.turn.untaken = exchange.reservation
            _ = setTurn()
        }
        if exchanges.isEmpty, !isReading { time.rests(at: now) }
        if isRefused {
            isClosing = true
            time.leave(isLast ? .cut : .close, at: now)
        }
        return exchange
    }

    // MARK: - Requests that cannot be read

    /// Notes an error of the connection. Its answer gets a body: the server beneath sends an empty 400 for errors of the parser.
    ///
    /// - Returns: The error for the server beneath.
    mutating func note(_ error: any Error) -> any Error {
        let refusals = connection.listenerLimits.refusals
        if let error = error as? RequestFraming.UnknownCoding {
            // The parser's own errors do not say which method a request has.
            unreadable = RefusedCall(refusals.unknownCoding, isToHead: error.method == .HEAD)
            return HTTPParserError.unknown
        }
        // The first error counts: what follows it comes of bytes behind the request.
        if let error = error as? HTTPParserError, unreadable == nil {
            unreadable = RefusedCall(error == .headerOverflow ? refusals.headersTooLarge : refusals.malformed)
        }
        return error
    }

    /// What is said in place of the server's own answer.
    func answer(inPlaceOf head: HTTPResponse) -> RefusedCall? {
        guard let unreadable, head.status == .badRequest, head.headerFields[.contentLength] == "0" else { return nil }
        return unreadable
    }
}
