import HTTPTypes

/// A request that has no whole answer yet, and how many bytes are counted for it.
struct Exchange {
    // The memory that handlers and tasks of a request need besides its bytes.
    private static let overhead = 4096
    // The bytes that a client may send on a stream before any are read (RFC 9113 §6.9.2).
    private static let streamWindow = 65_535
    // The reserve of a stream that announces no length. Most such streams send little, so they do not reserve a full window.
    private static let unannouncedReserve = 16_384

    /// `nil` where nothing is charged for it: it asks for the server's health, and its connection had nothing else to answer.
    var reservation: FairShare.Reservation?
    /// For what of the body may still arrive unseen.
    var reserved = 0
    var isComplete = false

    /// What a request takes from its head on, besides what is reserved.
    static func size(of head: HTTPRequest) -> Int {
        head.headerFields.reduce(overhead + (head.path?.utf8.count ?? 0)) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
    }

    /// How many bytes are kept free for what a stream may send unseen: no more than it announces (HTTP/2 holds it to that).
    static func reserve(for head: HTTPRequest) -> Int {
        guard let text = head.headerFields[.contentLength] else { return unannouncedReserve }
        guard let length = Int(text), length >= 0 else { return streamWindow }
        return min(streamWindow, length)
    }
}

/// Tells a budget which reservation waits for its client, and which is worked on.
struct ClientTurn {
    /// The last answer, while its client has not taken it.
    var untaken: FairShare.Reservation?
    // The one reservation that waits, while it is the client's turn.
    private var waiting: FairShare.Reservation?

    /// - Parameter next: The reservation that waits from now on; `nil` while it is the server's turn.
    /// - Returns: Whether what waited was not ended for others meanwhile.
    mutating func set(_ next: FairShare.Reservation?, in budget: FairShare) -> Bool {
        guard next != waiting else { return true }
        let isKept = waiting.map { budget.works($0) } ?? true
        waiting = next
        if let next { budget.waits(next) }
        return isKept
    }

    /// A reservation is released.
    mutating func forget(_ reservation: FairShare.Reservation) {
        if untaken == reservation { untaken = nil }
        if waiting == reservation { waiting = nil }
    }

    /// All reservations are released.
    mutating func end() { waiting = nil }
}
