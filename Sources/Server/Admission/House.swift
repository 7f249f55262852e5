import Accounts

/// The open connections of a listener, and which of them go when others come (threat case RES-04).
///
/// A connection waits while it is its client's turn: to send a request, the rest of one, or nothing at all. Those that wait can be
/// ended, the one that has waited longest first. A connection whose request is being worked on is never ended for another.
final class House: Sendable {
    /// How many connections there may be.
    struct Rules: Sendable {
        /// All of them.
        var total: Int
        /// Those of one client address. The wider networks of an IPv6 client have several times as many.
        var perAddress: Int
        /// Further connections, which may only request the server's health.
        var reserve: Int
    }

    /// A connection that was let in.
    struct Lodger: Sendable, Hashable {
        fileprivate let reservation: FairShare.Reservation
        /// Whether it was accepted when there was no room. It may only request the server's health.
        let isGuest: Bool
    }

    private let lodgers: FairShare
    private let guests: FairShare

    init(_ rules: Rules) {
        lodgers = FairShare(total: rules.total, perAddress: rules.perAddress, isEven: false)
        guests = FairShare(total: rules.reserve, perAddress: rules.reserve)
    }

    /// How many connections there are.
    var count: Int { lodgers.used + guests.used }

    /// Lets a connection in, perhaps in the place of others.
    ///
    /// - Parameters:
    ///   - network: `nil` for a trusted proxy's: those have no share and are ended last.
    ///   - end: Called once at most, on any thread, and not after ``leave(_:)``.
    /// - Returns: `nil` where there is no room even for guests.
    func enter(from network: ClientNetwork?, end: @escaping @Sendable () -> Void) -> Lodger? {
        if let own = try? lodgers.reserve(1, for: network, end: end) { return Lodger(reservation: own, isGuest: false) }
        return (try? guests.reserve(1, for: nil, end: end)).map { Lodger(reservation: $0, isGuest: true) }
    }

    /// A connection has closed.
    func leave(_ lodger: Lodger) { share(lodger).release(lodger.reservation) }

    /// The connection's request is complete, and the server works on it.
    func works(_ lodger: Lodger) { _ = share(lodger).works(lodger.reservation) }

    /// The connection's request is answered, and the connection waits for its client.
    func waits(_ lodger: Lodger) { share(lodger).waits(lodger.reservation) }

    private func share(_ lodger: Lodger) -> FairShare { lodger.isGuest ? guests : lodgers }
}
