import NIOCore

/// How long a client is waited for (threat cases WEB-06 and RES-06).
extension RequestState {
    /// How long a client may take.
    struct Patience: Sendable {
        /// For the parts of a request, from its head to its end.
        var request = TimeAmount.seconds(60)
        /// To take something of what is to be sent.
        var reader = TimeAmount.seconds(60)
        /// Between requests; `nil` where another handler bounds it.
        var idle: TimeAmount?
    }

    /// What waits for the rest of a request gets this.
    struct TooSlow: Error {}

    /// What is to be done because time has passed.
    enum Due {
        /// What waits for the rest of a body hears of the error: what has come of it must not pass for all of it.
        case end(End, hearing: (any Error)?)
        /// Says `102`, which tells a client that waits nothing (RFC 9110 §15.2). For one that has hung up, its system refuses it, which
        /// closes the connection and cancels the work.
        case inform
    }

    /// How a connection or a stream ends. A connection that is cut does not wait for TLS's goodbye, which the peer need not answer.
    enum End { case close, cut }

    /// What ends a client's turn. Each of these is `nil` while it does not apply.
    struct Time {
        // Gives the client time to read the answer. A connection that is closed with unread bytes is reset, and the answer may be
        // lost.
        private static let farewell = TimeAmount.seconds(1)
        // How long a request may wait for its body once the server stops: its rest may be under way.
        fileprivate static let lastPatience = TimeAmount.seconds(1)
        // How long a connection stays for the answers once it cannot be read on.
        fileprivate static let faultPatience = TimeAmount.seconds(10)
        // An answer that is made within a moment needs no probe.
        fileprivate static let pauseBeforeProbe = TimeAmount.seconds(1)

        let patience: Patience
        /// The end of a request that has begun.
        fileprivate var request: NIODeadline?
        /// Of a client that does not take what is sent.
        fileprivate var reader: NIODeadline?
        /// Of a connection without a request.
        fileprivate var idle: NIODeadline?
        /// Of a connection or a stream that is to end, whatever comes.
        fileprivate var leaving: (at: NIODeadline, end: End)?
        /// The next look at a request that waits for its body while the server stops, and which one waited at the last.
        fileprivate var look: (at: NIODeadline, waiting: UInt64?)?
        /// The next probe of a client that has ended its side.
        fileprivate var probe: NIODeadline?

        init(patience: Patience) { self.patience = patience }

        /// When something is due next.
        var next: NIODeadline? {
            let ending = Self.earlier(Self.earlier(idle, leaving?.at), Self.earlier(look?.at, probe))
            return Self.earlier(Self.earlier(request, reader), ending)
        }

        private static func earlier(_ one: NIODeadline?, _ other: NIODeadline?) -> NIODeadline? {
            guard let one, let other else { return one ?? other }
            return min(one, other)
        }

        mutating func leave(_ end: End, after pause: TimeAmount = Self.farewell, at now: NIODeadline) {
            let at = now + pause
            if leaving.map({ at < $0.at }) ?? true { leaving = (at, end) }
        }

        mutating func requestBegins(at now: NIODeadline) {
            request = now + patience.request
            idle = nil
        }

        mutating func requestEnds() { request = nil }

        mutating func rests(at now: NIODeadline) { idle = patience.idle.map { now + $0 } }
    }

    mutating func connects(at now: NIODeadline) {
        time.rests(at: now)
        // A stream may begin while its connection's client does not know yet that the server stops, and a handshake of TLS may end then.
        if connection.isStopping { _ = stop(at: now) }
    }

    /// The server stops.
    ///
    /// - Returns: Whether the connection is to be closed at once, since nothing is asked for. A stream ends with its connection.
    mutating func stop(at now: NIODeadline) -> Bool {
        if time.look == nil { time.look = (now + Time.lastPatience, waiting) }
        if isStream { return false }
        endsWhenAnswered = true
        return exchanges.isEmpty
    }

    mutating func writabilityChanges(to isWritable: Bool, at now: NIODeadline) {
        memory.isWritable = isWritable
        time.reader = isWritable ? nil : now + time.patience.reader
        _ = setTurn()
    }

    /// The client has ended its side of a connection of HTTP/1.1. One that has hung up looks the same until it is sent something.
    mutating func inputEnds(at now: NIODeadline) {
        if !exchanges.isEmpty { time.probe = now + Time.pauseBeforeProbe }
    }

    /// A request has come that cannot be read on. The connection stays for the answer, and for those to the requests before.
    mutating func readFault(at now: NIODeadline) { time.leave(.close, after: Time.faultPatience, at: now) }

    /// What is due; to be asked again until there is nothing.
    mutating func due(at now: NIODeadline) -> Due? {
        if let leaving = time.leaving, leaving.at <= now {
            time.leaving = nil
            isDeaf = true
            return .end(leaving.end, hearing: nil)
        }
        if isDue(\.request, at: now) { return .end(.close, hearing: TooSlow()) }
        if isDue(\.reader, at: now) || isDue(\.idle, at: now) { return .end(.close, hearing: nil) }
        if let look = time.look, look.at <= now {
            // One that is answered or complete by then has its time.
            if let waiting, waiting == look.waiting {
                time.look = nil
                isDeaf = true
                return .end(.cut, hearing: CancellationError())
            }
            time.look = (now + Time.lastPatience, waiting)
        }
        if isDue(\.probe, at: now) {
            inputEnds(at: now)
            if !exchanges.isEmpty, !hasAnswerBegun { return .inform }
        }
        return nil
    }

    private mutating func isDue(_ deadline: WritableKeyPath<Time, NIODeadline?>, at now: NIODeadline) -> Bool {
        guard let at = time[keyPath: deadline], at <= now else { return false }
        time[keyPath: deadline] = nil
        return true
    }
}
