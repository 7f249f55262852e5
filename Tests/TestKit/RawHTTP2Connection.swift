import NIOCore
package import NIOHPACK
import NIOPosix
import NIOSSL

/// A connection of HTTP/2 over TLS that sends the settings of a test, and that reads every answer as a client with a table of 4,096
/// bytes of received fields.
package final class RawHTTP2Connection {
    private let channel: any Channel
    private var frames: AsyncStream<Frame>.Iterator
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096)
    private var stream: UInt32 = 1

    /// One frame that the server has sent.
    private struct Frame {
        let type: UInt8
        let stream: UInt32
        let payload: ByteBuffer
    }

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - settings: Numbers and values of the settings that are sent first.
    package init(port: Int, settings: [(number: UInt16, value: UInt32)]) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Frame.self)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["h2"]
        let tls = try NIOSSLContext(configuration: configuration)
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: tls, serverHostname: nil)
                    try channel.pipeline.syncOperations.addHandlers([handler, FrameReader(continuation)])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        frames = stream.makeAsyncIterator()
        try await channel.writeAndFlush(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        try await send(settings: settings)
    }

    /// Sends a frame of settings.
    package func send(settings: [(number: UInt16, value: UInt32)]) async throws {
        var payload = ByteBuffer()
        for (number, value) in settings {
            payload.writeInteger(number)
            payload.writeInteger(value)
        }
        try await send(type: 4, flags: 0, stream: 0, payload)
    }

    /// Asks for a path, and waits for the head of the answer.
    ///
    /// - Returns: The fields of the answer; `nil` when the server has ended the connection.
    /// - Throws: When the answer goes beyond the client's table.
    package func get(_ path: String, headers: [(String, String)] = []) async throws -> HPACKHeaders? {
        var block = ByteBuffer()
        let pseudo = [(":method", "GET"), (":scheme", "https"), (":path", path), (":authority", "localhost")]
        try encoder.encode(headers: HPACKHeaders(pseudo + headers), to: &block)
        let own = stream
        stream += 2
        try await send(type: 1, flags: 0x5, stream: own, block)
        while let frame = await frames.next() {
            guard frame.type == 1, frame.stream == own else { continue }
            var payload = frame.payload
            return try decoder.decodeHeaders(from: &payload)
        }
        return nil
    }

    /// How many bytes the server said that the table of received fields may hold, and 4,096 before it said so.
    package var tableBytes: Int { decoder.allowedDynamicTableLength }

    /// Waits until the server has ended the connection.
    package func waitForEnd() async { try? await channel.closeFuture.get() }

    /// Ends the connection.
    package func close() async { try? await channel.close() }

    private func send(type: UInt8, flags: UInt8, stream: UInt32, _ payload: ByteBuffer) async throws {
        var frame = ByteBuffer()
        frame.writeInteger(UInt8(0))
        frame.writeInteger(UInt16(payload.readableBytes))
        frame.writeInteger(type)
        frame.writeInteger(flags)
        frame.writeInteger(stream)
        frame.writeImmutableBuffer(payload)
        try await channel.writeAndFlush(frame)
    }

    private final class FrameReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let frames: AsyncStream<Frame>.Continuation
        private var bytes = ByteBuffer()

        init(_ frames: AsyncStream<Frame>.Continuation) { self.frames = frames }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.writeImmutableBuffer(Self.unwrapInboundIn(data))
            while let head = bytes.getBytes(at: bytes.readerIndex, length: 9) {
                let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
                guard bytes.readableBytes >= 9 + length else { return }
                bytes.moveReaderIndex(forwardBy: 9)
                let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
                frames.yield(Frame(type: head[3], stream: stream, payload: bytes.readSlice(length: length) ?? ByteBuffer()))
            }
        }

        func channelInactive(context: ChannelHandlerContext) { frames.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
