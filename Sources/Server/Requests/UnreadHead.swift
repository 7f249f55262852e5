import NIOCore
import NIOHTTP1

/// Keeps the heads of requests that never end within the budget of bytes: a decoder holds what it was sent until a head is whole
/// (threat case RES-03).
struct UnreadHead {
    // Sizes are estimates, so a remainder below this is ignored.
    private static let tolerance = 1024
    // A request line's version, its spaces and the ends of its lines.
    private static let lineOverhead = 16
    // A field's colon, space and end of line.
    private static let fieldOverhead = 4

    private let connection: ConnectionGuard
    // The bytes that are charged: those that arrived since the last part of a request.
    private var pending = 0
    private var reservation: FairShare.Reservation?
    // What the decoder has been given and has not used up.
    private var left = 0
    // What has arrived at once, and what the decoder made of it.
    private var arrived = 0
    private var partBytes = 0
    private var lastPart: LastPart?

    private enum LastPart { case headOrBody, end }

    /// Whether a request of the connection is being worked on.
    var isServersTurn = false {
        didSet { if isServersTurn != oldValue { setTurn() } }
    }

    init(_ connection: ConnectionGuard) { self.connection = connection }

    private var budget: FairShare { connection.listenerLimits.budget }

    /// The decoder is given so many bytes, with those that it has left before.
    mutating func arrives(_ count: Int) { arrived += count - left }

    /// The decoder has not used up so many of the bytes.
    mutating func isLeft(_ count: Int) { left = count }

    /// The decoder has made a part of a request of what it was given.
    ///
    /// - Returns: Whether what was charged had not been ended for others.
    mutating func wasRead(_ part: HTTPServerRequestPart) -> Bool {
        switch part {
        case .head(let head):
            partBytes += Self.size(of: head)
            lastPart = .headOrBody
        case .body(let bytes):
            partBytes += bytes.readableBytes
            lastPart = .headOrBody
        case .end: lastPart = .end
        }
        return giveBack()
    }

    /// The decoder has read all that has arrived at once.
    ///
    /// - Returns: Whether there is room for what it holds.
    mutating func settle() -> Bool {
        let count = arrived
        switch lastPart {
        case .none: pending += count
        // Bodies are handed on as they come: only after a request's end may the decoder hold bytes, those of the next head.
        case .headOrBody: pending = 0
        case .end: pending = max(pending + count - partBytes, 0)
        }
        (arrived, partBytes, lastPart) = (0, 0, nil)
        do {
            if let reservation {
                try budget.take(count, by: reservation)
            } else if pending > Self.tolerance {
                reservation = try budget.reserve(pending, for: connection.network, end: connection.cut)
                setTurn()
            }
            return true
        } catch {
            return false
        }
    }

    @discardableResult
    mutating func giveBack() -> Bool {
        defer { reservation = nil }
        return reservation.map { budget.release($0) } ?? true
    }

    private func setTurn() {
        guard let reservation else { return }
        // One that has been ended is soon closed.
        if isServersTurn { _ = budget.works(reservation) } else { budget.waits(reservation) }
    }

    private static func size(of head: HTTPRequestHead) -> Int {
        head.headers.reduce(head.method.rawValue.utf8.count + head.uri.utf8.count + lineOverhead) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + fieldOverhead
        }
    }
}
