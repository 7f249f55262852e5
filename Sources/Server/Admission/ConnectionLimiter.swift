import Accounts

/// The open connections of a listener, and which of them go when others come (threat case RES-04).
///
/// A connection waits while it is its client's turn: to send a request, the rest of one, or nothing at all. Those that wait can be
/// ended, the one that has waited longest first. A connection whose request is being worked on is never ended for another.
final class ConnectionLimiter: Sendable {
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
    struct Ticket: Sendable, Hashable {
        fileprivate let reservation: FairShare.Reservation
        /// Whether it was accepted when there was no room. It may only request the server's health.
        let isHealthOnly: Bool
    }

    private let ordinary: FairShare
    private let healthOnly: FairShare

    init(_ rules: Rules) {
        ordinary = FairShare(total: rules.total, perAddress: rules.perAddress, isEven: false)
        healthOnly = FairShare(total: rules.reserve, perAddress: rules.reserve)
    }

    /// How many connections there are.
    var count: Int { ordinary.used + healthOnly.used }

    /// Lets a connection in, perhaps in the place of others.
    ///
    /// - Parameters:
    ///   - network: `nil` for a trusted proxy's: those have no share and are ended last.
    ///   - end: Called once at most, on any thread, and not after ``leave(_:)``.
    /// - Returns: `nil` where there is no room even for one that is health-only.
    func enter(from network: ClientNetwork?, end: @escaping @Sendable () -> Void) -> Ticket? {
        if let own = try? ordinary.reserve(1, for: network, end: end) { return Ticket(reservation: own, isHealthOnly: false) }
        return (try? healthOnly.reserve(1, for: nil, end: end)).map { Ticket(reservation: $0, isHealthOnly: true) }
    }

    /// A connection has closed.
    func leave(_ ticket: Ticket) { share(ticket).release(ticket.reservation) }

    /// The connection's request is complete, and the server works on it.
    func works(_ ticket: Ticket) { _ = share(ticket).works(ticket.reservation) }

    /// The connection's request is answered, and the connection waits for its client.
    func waits(_ ticket: Ticket) { share(ticket).waits(ticket.reservation) }

    private func share(_ ticket: Ticket) -> FairShare { ticket.isHealthOnly ? healthOnly : ordinary }
}
