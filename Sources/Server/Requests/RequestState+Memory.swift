import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore

/// A request takes room in the budget from its head until its answer has been taken. While it waits for its client, it may be ended for
/// others together with its connection or stream. When there is still no room, it is answered with 429 or 503.
extension RequestState {
    /// What the requests of a connection or a stream have of the budget.
    struct Memory {
        let budget: FairShare
        /// Called on any thread when the room of a request is needed for others.
        var end: (@Sendable () -> Void)?
        var turn = ClientTurn()
        var isWritable = true
        /// Whether the answer that is being sent has come in several parts so far.
        var hasBodyBegun = false
    }

    /// Takes room for a request.
    func admit(_ head: HTTPRequest, from peer: @autoclosure () -> String?) throws(RefusedCall) -> Exchange {
        // This check must come before any header is compared as a text.
        guard head.headerFields.isStreamSafe else { throw refusal(of: head, connection.listenerLimits.refusals.marks) }
        var exchange = Exchange()
        let isAboutHealth = ListenerLimits.isAboutHealth(head)
        if isAboutHealth, connection.exchanges == 0 { return exchange }
        if connection.isHealthOnly, !isAboutHealth { throw refusal(of: head, connection.listenerLimits.refusals.total) }
        exchange.reserved = isStream ? Exchange.reserve(for: head) : 0
        let network = connection.network ?? connection.listenerLimits.network(behindProxy: peer(), head)
        do { exchange.reservation = try reserve(Exchange.size(of: head) + exchange.reserved, for: network) } catch {
            let refusals = connection.listenerLimits.refusals
            throw refusal(of: head, error == .share ? refusals.share : refusals.total)
        }
        return exchange
    }

    private func refusal(of head: HTTPRequest, _ answer: UnreadableRequest) -> RefusedCall {
        RefusedCall(answer, isToHead: head.method == .head)
    }

    private func reserve(_ bytes: Int, for network: ClientNetwork?) throws(FairShare.NoRoom) -> FairShare.Reservation {
        let reservation = try memory.budget.reserve(bytes, for: network, end: memory.end ?? {})
        // Not while those before it are worked on.
        if !exchanges.isEmpty { _ = memory.budget.works(reservation) }
        return reservation
    }

    /// Takes room for a part of the body of the last request.
    mutating func charge(_ bytes: Int) throws(FairShare.NoRoom) {
        let last = exchanges.index(before: exchanges.endIndex)
        if let reservation = exchanges[last].reservation { return try memory.budget.take(bytes, by: reservation) }
        exchanges[last].reservation = try reserve(bytes, for: connection.network)
        guard setTurn() else { throw .ended }
    }

    /// The last request is complete.
    ///
    /// - Returns: Whether it was not ended for another before.
    mutating func complete() -> Bool {
        let last = exchanges.index(before: exchanges.endIndex)
        exchanges[last].isComplete = true
        connection.begin()
        guard setTurn() else { return false }
        if let reservation = exchanges[last].reservation { memory.budget.give(exchanges[last].reserved, of: reservation) }
        return true
    }

    /// Tells the budget whose turn it is: the client's while no complete request is to be answered, and while the client does not take
    /// answers.
    ///
    /// - Returns: Whether what waited was not ended for others, which is soon closed: nothing more is done for it.
    mutating func setTurn() -> Bool {
        let next = isServersTurn && memory.isWritable ? nil : exchanges.last?.reservation ?? memory.turn.untaken
        let isKept = memory.turn.set(next, in: memory.budget)
        if !isKept { isClosing = true }
        return isKept
    }

    /// Takes room for a part of the answer that is being sent.
    ///
    /// - Returns: The reservation that gives it back once the client has taken the part; `nil` where the answer's end does.
    mutating func answerBody(_ bytes: Int) throws(FairShare.NoRoom) -> FairShare.Reservation? {
        guard let reservation = exchanges.first?.reservation else { return nil }
        do { try memory.budget.take(bytes, by: reservation, mayExceed: true) } catch {
            isClosing = true
            throw error
        }
        // A stream's earlier parts are with the client while the later ones are made.
        defer { memory.hasBodyBegun = true }
        return memory.hasBodyBegun ? reservation : nil
    }

    /// Takes room for what the body of the request that is worked on inflates to. That request is the oldest.
    func inflate(_ bytes: Int) throws(FairShare.NoRoom) {
        if let reservation = exchanges.first?.reservation { try memory.budget.take(bytes, by: reservation) }
    }

    /// The request that is worked on is an administrator's: it counts for no address.
    func exempt() {
        if let reservation = exchanges.first?.reservation { memory.budget.exempt(reservation) }
    }

    /// The client has taken the whole answer, or never will.
    mutating func release(_ exchange: Exchange, at now: NIODeadline) {
        if isLast { time.leave(.cut, at: now) }
        connection.exchanges -= 1
        guard let reservation = exchange.reservation else { return }
        memory.budget.release(reservation)
        memory.turn.forget(reservation)
    }

    /// The connection or the stream has closed.
    mutating func releaseAll() {
        while let exchange = exchanges.popFirst() {
            if let reservation = exchange.reservation { memory.budget.release(reservation) }
            connection.exchanges -= 1
            if exchange.isComplete { connection.end() }
        }
        memory.turn.end()
        time = Time(patience: time.patience)
    }
}
