package import Hummingbird
import Logging
package import NIOCore

/// Hummingbird's request context with the peer's address and the request's channel.
package struct PosternContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    private let channel: any Channel

    /// Whether the request came over HTTP/2. Then its channel is a stream, below the connection and the listener.
    var isHTTP2: Bool { channel.parent?.parent != nil }

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }

    /// Tells the connection, before the body is read, that the request is an administrator's. Without a handler for the event, as
    /// in tests of the routes alone, this does nothing.
    func announceAdministrator() async { try? await channel.triggerUserOutboundEvent(VerifiedAdministrator()) }
}
