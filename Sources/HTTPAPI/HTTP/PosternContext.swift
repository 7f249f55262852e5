import HTTPTypes
package import Hummingbird
import Logging
package import NIOCore

/// Hummingbird's request context with the peer's address, the request's channel and its id.
package struct PosternContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    let channel: any Channel
    /// The id of the request, in the log, the answer's `X-Request-Id` and the audit trail.
    private(set) var requestID: String
    let facts = RequestFacts()

    private static let maximumIDBytes = 64

    /// Whether the request came over HTTP/2. Then its channel is a stream, below the connection and the listener.
    var isHTTP2: Bool { channel.parent?.parent != nil }

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
        requestID = RequestID().description
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "requestId"] = "\(requestID)"
    }

    /// Takes the client's own id of the request, if it is a short word; any other text is ignored.
    mutating func takeID(of request: Request) {
        guard let named = request.headers[.requestID], Self.isSane(named) else { return }
        requestID = named
        logger[metadataKey: "requestId"] = "\(named)"
    }

    private static func isSane(_ text: String) -> Bool {
        (1...maximumIDBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Tells the connection, before the body is read, that the request is an administrator's. Without a handler for the event, as
    /// in tests of the routes alone, this does nothing.
    func announceAdministrator() async { try? await channel.triggerUserOutboundEvent(VerifiedAdministrator()) }

    /// Whether what was written to the client has reached it, as far as that can be known.
    func hasReachedClient() async -> Bool {
        // Streams of HTTP/2 share a connection. The closed stream of a client that has gone has cancelled its work.
        isHTTP2 ? !Task.isCancelled && channel.isActive : await ClientReceipt.comes(from: channel)
    }

    /// Has the connection charge bytes that were made of a compressed body. Without a handler for the event this does nothing.
    func charge(inflated count: Int) async throws {
        do {
            try await channel.triggerUserOutboundEvent(InflatedBytes(count))
        } catch let error as TransportError {
            throw error
        } catch {}
    }
}
