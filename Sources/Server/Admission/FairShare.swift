import Accounts
import Project

/// How much there is of something for all clients together and for each address: bytes of requests and answers in memory (threat case
/// RES-03), and open connections (``ConnectionLimiter``).
///
/// What takes room has a ``Reservation``. A reservation waits while it is its client's turn: to send a request or the rest of one, or to
/// take an answer. Where there is no room for more, the reservation that has waited longest is ended: that of the same address when the
/// address has used its share, or holds more than an equal part where that counts, else that of all. A reservation whose request is being
/// worked on is never ended for another.
///
/// The wider networks of an IPv6 client have shares as well, and equal parts are those of the widest.
final class FairShare: Sendable {
    /// Why there is no room.
    enum NoRoom: Error, Hashable {
        /// The client's address has used its share, and nothing of it that waits can be ended.
        case share
        /// All clients together have used everything, and nothing that waits can be ended.
        case total
        /// The reservation itself has been ended in favour of another.
        case ended
    }

    /// The room that a connection has, a request, or the unfinished head of one.
    struct Reservation: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private let books: LockedState<Books>

    /// - Parameter isEven: Whether an address that holds more than an equal part makes room for itself, also where it has not used its
    ///   share.
    init(total: Int, perAddress: Int, isEven: Bool = true) {
        books = LockedState(Books(total: total, perAddress: perAddress, isEven: isEven))
    }

    /// How much is in use.
    var used: Int { books.withLock { $0.used } }

    /// Takes room for something new, which waits for its client.
    ///
    /// - Parameter end: Called once at most, on any thread, and not after ``release(_:)``.
    func reserve(
        _ amount: Int,
        for network: ClientNetwork?,
        end: @escaping @Sendable () -> Void
    ) throws(NoRoom) -> Reservation {
        try enter { $0.reserve(amount, network, end) }
    }

    /// Takes more room.
    ///
    /// - Parameter mayExceed: Whether it need not fit as a whole, as long as something is left: an answer is as large as it is.
    /// - Throws: Why there is no room, and nothing was taken.
    func take(_ amount: Int, by reservation: Reservation, mayExceed: Bool = false) throws(NoRoom) {
        try enter { $0.take(amount, reservation.number, needed: mayExceed ? 1 : amount) }
    }

    /// Gives a part of the room back.
    func give(_ amount: Int, of reservation: Reservation) { books.withLock { $0.change(reservation.number, by: -amount) } }

    /// Gives the room back.
    ///
    /// - Returns: Whether the reservation had not been ended.
    @discardableResult
    func release(_ reservation: Reservation) -> Bool { books.withLock { $0.remove(reservation.number) != nil } }

    /// The reservation waits for its client.
    func waits(_ reservation: Reservation) { books.withLock { $0.waits(reservation.number) } }

    /// The reservation does not wait: it is the server's turn.
    ///
    /// - Returns: Whether the reservation had not been ended.
    func works(_ reservation: Reservation) -> Bool { books.withLock { $0.works(reservation.number) } }

    /// Lets what a reservation has count for no address any more.
    func exempt(_ reservation: Reservation) { books.withLock { $0.exempt(reservation.number) } }

    // What is ended hears of it once the lock is free.
    private func enter<T>(_ body: (inout Books) -> Result<T, NoRoom>) throws(NoRoom) -> T {
        let (result, ended) = books.withLock { books in
            let result = body(&books)
            defer { books.ended = [] }
            return (result, books.ended)
        }
        for end in ended { end() }
        return try result.get()
    }
}

extension FairShare {
    private struct Entry {
        /// The narrowest network first; none where it counts for no share.
        var holders: [ClientNetwork.Limit]
        var amount: Int
        let end: @Sendable () -> Void
    }

    private struct Share {
        var reservations = 0
        var amount = 0
        var line = WaitingLine()
    }

    private struct Books {
        let total: Int
        let perAddress: Int
        let isEven: Bool
        private(set) var used = 0
        /// What has been ended, and is to hear of it.
        var ended: [@Sendable () -> Void] = []
        private var entries: [UInt64: Entry] = [:]
        private var shares: [ClientNetwork: Share] = [:]
        // How many networks have a share that lie in no other.
        private var customers = 0
        // Those without a share, proxies' and administrators' for one, are ended last.
        private var strangers = WaitingLine()
        private var others = WaitingLine()
        private var lastNumber: UInt64 = 0

        init(total: Int, perAddress: Int, isEven: Bool) {
            self.total = total
            self.perAddress = perAddress
            self.isEven = isEven
        }

        mutating func reserve(
            _ amount: Int,
            _ network: ClientNetwork?,
            _ end: @escaping @Sendable () -> Void
        ) -> Result<Reservation, NoRoom> {
            let holders = network?.shares(perAddress, of: total) ?? []
            if let refusal = makeRoom(amount, holders, asker: nil) { return .failure(refusal) }
            lastNumber += 1
            entries[lastNumber] = Entry(holders: holders, amount: 0, end: end)
            if let widest = holders.last, shares[widest.network] == nil { customers += 1 }
            for holder in holders { shares[holder.network, default: Share()].reservations += 1 }
            change(lastNumber, by: amount)
            waits(lastNumber)
            return .success(Reservation(number: lastNumber))
        }

        mutating func take(_ amount: Int, _ number: UInt64, needed: Int) -> Result<Void, NoRoom> {
            guard let entry = entries[number] else { return .failure(.ended) }
            if let refusal = makeRoom(needed, entry.holders, asker: number) { return .failure(refusal) }
            change(number, by: amount)
            return .success(())
        }

        mutating func change(_ number: UInt64, by amount: Int) {
            guard let entry = entries[number] else { return }
            entries[number]?.amount += amount
            used += amount
            for holder in entry.holders { shares[holder.network]?.amount += amount }
        }

        mutating func waits(_ number: UInt64) {
            guard let entry = entries[number] else { return }
            if entry.holders.isEmpty { return others.join(number) }
            strangers.join(number)
            for holder in entry.holders { shares[holder.network]?.line.join(number) }
        }

        mutating func works(_ number: UInt64) -> Bool {
            guard let entry = entries[number] else { return false }
            leaveLines(number, entry)
            return true
        }

        mutating func remove(_ number: UInt64) -> Entry? {
            guard let entry = entries.removeValue(forKey: number) else { return nil }
            leaveLines(number, entry)
            leaveShare(entry)
            used -= entry.amount
            return entry
        }

        mutating func exempt(_ number: UInt64) {
            guard let entry = entries[number], !entry.holders.isEmpty else { return }
            let isWaiting = strangers.contains(number)
            leaveLines(number, entry)
            leaveShare(entry)
            entries[number]?.holders = []
            if isWaiting { others.join(number) }
        }

        // Ends others until the amount fits. Who has waited longest is not spared by asking for more.
        private mutating func makeRoom(_ amount: Int, _ holders: [ClientNetwork.Limit], asker: UInt64?) -> NoRoom? {
            let own = asker.flatMap { entries[$0]?.amount } ?? 0
            // Nobody is ended for what does not fit alone.
            if !holders.isEmpty, own + amount > perAddress { return .share }
            if own + amount > total { return .total }
            for holder in holders {
                while (shares[holder.network]?.amount ?? 0) + amount > holder.limit {
                    guard evict(shares[holder.network]?.line.first, unless: asker) else { return .share }
                }
            }
            while used + amount > total {
                let payer = payer(for: amount, holders.last?.network, asker: asker)
                guard evict(payer ?? strangers.first ?? others.first, unless: asker) else { return .total }
            }
            return nil
        }

        // A network that would hold more than an equal part makes room itself, so that a few cannot have everybody's requests ended.
        // Where the asker is all that waits there, others make room: many networks with little each must not refuse a modest body.
        private func payer(for amount: Int, _ widest: ClientNetwork?, asker: UInt64?) -> UInt64? {
            guard isEven, let widest, let share = shares[widest], share.amount + amount > total / customers else { return nil }
            return share.line.first == asker ? nil : share.line.first
        }

        private mutating func evict(_ number: UInt64?, unless asker: UInt64?) -> Bool {
            guard let number, number != asker, let entry = remove(number) else { return false }
            ended.append(entry.end)
            return true
        }

        private mutating func leaveLines(_ number: UInt64, _ entry: Entry) {
            others.leave(number)
            strangers.leave(number)
            for holder in entry.holders { shares[holder.network]?.line.leave(number) }
        }

        private mutating func leaveShare(_ entry: Entry) {
            for holder in entry.holders {
                shares[holder.network]?.reservations -= 1
                shares[holder.network]?.amount -= entry.amount
                if shares[holder.network]?.reservations == 0 { shares[holder.network] = nil }
            }
            if let widest = entry.holders.last, shares[widest.network] == nil { customers -= 1 }
        }
    }
}
