import HTTPAPI
import NIOCore
import NIOEmbedded
import Project

@testable import Server

/// A connection's guard with limits of its own.
func connectionGuard(_ budget: FairShare = FairShare(total: 100_000_000, perAddress: 100_000_000)) throws -> ConnectionGuard {
    ConnectionGuard(
        ListenerLimits(
            connections: ConnectionLimiter(ConnectionLimiter.Rules(total: 10, perAddress: 10, reserve: 1)),
            budget: budget,
            clientAddress: ClientAddress(trusted: []),
            proxies: [],
            refusals: try ListenerLimits.Refusals(mode: .production)
        )
    )
}

/// A channel of requests that knows no protocol; its connection's guard is in it unless it is a stream.
func requestChannel(
    _ connection: ConnectionGuard? = nil,
    isStream: Bool = false,
    on loop: EmbeddedEventLoop = EmbeddedEventLoop()
) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    let connection = try connection ?? connectionGuard()
    let state = RequestState(connection, isStream: isStream, patience: RequestState.Patience())
    if !isStream { try channel.pipeline.syncOperations.addHandler(connection) }
    try channel.pipeline.syncOperations.addHandler(RequestHandler(state))
    try channel.connect(to: .init(ipAddress: "192.0.2.1", port: 1)).wait()
    return channel
}
