import Hummingbird
import NIOCore

/// Collects pieces of a file for an answer, so that each part of the answer is worth its cost.
struct PieceWriter {
    private let lease: ConsoleLoad.Lease
    private var pending = ByteBuffer()

    private static let size = 64 * 1024

    init(_ lease: ConsoleLoad.Lease) { self.lease = lease }

    /// Adds bytes, and sends what is there when it is enough.
    mutating func add(_ bytes: some Sequence<UInt8>, to writer: inout any ResponseBodyWriter) async throws {
        pending.writeBytes(bytes)
        if pending.readableBytes >= Self.size { try await send(to: &writer) }
    }

    /// Sends the rest and ends the answer.
    mutating func finish(_ writer: inout any ResponseBodyWriter) async throws {
        try await send(to: &writer)
        try await writer.finish(nil)
    }

    private mutating func send(to writer: inout any ResponseBodyWriter) async throws {
        guard pending.readableBytes > 0 else { return }
        try await lease.check()
        try await lease.sending { [pending] in try await writer.write(pending) }
        pending = ByteBuffer()
    }
}
