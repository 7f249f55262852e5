import Accounts
import Project

/// How many bytes of requests and answers may be in memory, for all clients together and for each address (threat case RES-03).
final class TrafficBudget: Sendable {
    /// Why there is no room.
    enum Refusal: Sendable, Hashable {
        /// The client's address has used its share.
        case share
        /// All clients together have used everything.
        case total
    }

    private struct Books {
        var total = 0
        var shares: [ClientNetwork: Int] = [:]

        mutating func release(_ bytes: Int, of network: ClientNetwork?) {
            guard let network, let share = shares[network] else { return }
            shares[network] = share > bytes ? share - bytes : nil
        }
    }

    private let total: Int
    private let perAddress: Int
    private let books = LockedState(Books())

    /// - Parameters:
    ///   - total: Bytes of all clients together.
    ///   - perAddress: Bytes of one address.
    init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
    }

    /// How many bytes are in use.
    var used: Int { books.withLock { $0.total } }

    /// Takes room for bytes.
    ///
    /// - Parameters:
    ///   - bytes: How many.
    ///   - network: Whose share they count for; `nil` for no share.
    ///   - mayExceed: Whether they need not fit as a whole, as long as something is left: an answer is as large as it is.
    /// - Returns: Why there is no room, and nothing was taken; `nil` where there was.
    func take(_ bytes: Int, for network: ClientNetwork?, mayExceed: Bool = false) -> Refusal? {
        books.withLock { books in
            let needed = mayExceed ? 1 : bytes
            if let network, books.shares[network, default: 0] + needed > perAddress { return .share }
            if books.total + needed > total { return .total }
            books.total += bytes
            if let network { books.shares[network, default: 0] += bytes }
            return nil
        }
    }

    /// Gives room back.
    func give(_ bytes: Int, for network: ClientNetwork?) {
        books.withLock { books in
            books.total -= bytes
            books.release(bytes, of: network)
        }
    }

    /// Lets bytes that were taken count for no address any more.
    func exempt(_ bytes: Int, of network: ClientNetwork) { books.withLock { $0.release(bytes, of: network) } }
}
