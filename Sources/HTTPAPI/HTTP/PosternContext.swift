package import Hummingbird
import Logging
package import NIOCore

/// Hummingbird's request context with the peer's address and the request's channel.
package struct PosternContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    let channel: any Channel

    /// Whether the request came over HTTP/2: its channel is a stream of a connection, which is the listener's.
    var isHTTP2: Bool { channel.parent?.parent != nil }

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }

    /// Tells the connection that the request is an administrator's, before its body is read. Without a handler that wants to know,
    /// as in tests of the routes alone, nothing comes of it.
    func announceAdministrator() async { try? await channel.triggerUserOutboundEvent(VerifiedAdministrator()) }
}
