import Foundation
import NIOCore
import NIOPosix
import Project

/// A TCP connection that sends exactly the text of a test, which no HTTP client would send.
package struct RawConnection: Sendable {
    private let channel: any Channel
    private let received: Received

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - source: The address to connect from. On Linux any address of 127.0.0.0/8 works, and each is another client.
    package init(port: Int, from source: String = "127.0.0.1") async throws {
        let received = Received()
        self.received = received
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(received) }
            }
            .bind(to: SocketAddress(ipAddress: source, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends text unchanged.
    package func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Ends the connection.
    package func close() async { try? await channel.close() }

    /// Whether neither side has ended the connection.
    package var isOpen: Bool { channel.isActive }

    /// The text received so far.
    package var text: String { received.text }

    /// Waits until the other side ends the connection.
    ///
    /// - Returns: The whole received text.
    package func waitForEnd() async -> String {
        try? await channel.closeFuture.get()
        return received.text
    }

    /// Sends one request on its own connection, and waits until the server ends it. A valid request must ask for that.
    ///
    /// - Returns: The whole answer.
    package static func answer(
        to request: String,
        port: Int,
        from source: String = "127.0.0.1"
    ) async throws -> String {
        let connection = try await RawConnection(port: port, from: source)
        try await connection.send(request)
        return await connection.waitForEnd()
    }

    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let bytes = LockedState(ByteBuffer())

        var text: String { bytes.withLock { String(buffer: $0) } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = Self.unwrapInboundIn(data)
            bytes.withLock { _ = $0.writeImmutableBuffer(part) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// A port of this machine that is in use.
package struct TCPListener: Sendable {
    private let channel: any Channel
    /// The port.
    package let port: Int

    /// Listens on a free port.
    package init() async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Stops listening.
    package func close() async throws { try await channel.close() }
}
