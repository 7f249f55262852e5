import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import Project

/// What a listener lets in: how many connections, how many bytes, from whom (threat cases RES-03 and RES-04).
struct ListenerLimits: Sendable {
    let connections: ConnectionLimiter
    let budget: FairShare
    let clientAddress: ClientAddress
    /// `server.trustedProxies`
    let proxies: [CIDR]
    let refusals: Refusals

    /// What is answered where no route gets to see a request, made once for all connections.
    struct Refusals: Sendable {
        let share: UnreadableRequest
        let total: UnreadableRequest
        let marks: UnreadableRequest
        let malformed: UnreadableRequest
        let headersTooLarge: UnreadableRequest
        let unknownCoding: UnreadableRequest

        init(mode: ServerMode) throws {
            share = try UnreadableRequest(.tooMuchAtOnce, mode: mode)
            total = try UnreadableRequest(.noRoom, mode: mode)
            marks = try UnreadableRequest(.excessiveMarks, mode: mode)
            malformed = try UnreadableRequest(.badRequest, mode: mode)
            headersTooLarge = try UnreadableRequest(.requestHeaderFieldsTooLarge, mode: mode)
            unknownCoding = try UnreadableRequest(.unknownTransferCoding, mode: mode)
        }
    }

    /// Whether an address is a trusted proxy's.
    func isProxy(_ address: String?) -> Bool {
        guard let address = address.flatMap({ IPAddress($0) }) else { return false }
        return proxies.contains { $0.contains(address) }
    }

    /// The network that a request counts for when a trusted proxy hands it on: that of the client behind the proxies. A trusted
    /// proxy's own requests count for none.
    func network(behindProxy peer: String?, _ head: HTTPRequest) -> ClientNetwork? {
        guard let peer else { return nil }
        let address = clientAddress.resolve(peer: peer, head)
        return isProxy(address) ? nil : ClientNetwork(address)
    }

    /// Whether a request asks for the server's health, which is answered even when nothing else is.
    static func isAboutHealth(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head, let target = head.path?.utf8 else { return false }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return path.elementsEqual("/healthz".utf8) || path.elementsEqual("/readyz".utf8)
    }
}

extension TransportError {
    init(_ refusal: FairShare.NoRoom) {
        self =
            switch refusal {
            case .share: .tooMuchAtOnce
            case .total, .ended: .noRoom
            }
    }
}
