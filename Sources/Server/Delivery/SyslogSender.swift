import Accounts
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Project
import Settings

/// Sends audit records to a syslog server over TLS (RFC 5424, RFC 5425).
///
/// Syslog has no answers. A batch counts as taken when the server's `close_notify` answers that of the sender, which comes after everything
/// that was written: until then it is sent again. Each batch has a connection of its own.
struct SyslogSender: Sendable {
    private let address: AuditSettings.Address
    private let context: NIOSSLContext
    private let patience: Duration

    /// The server has not ended TLS after a batch, which may therefore be lost.
    struct Unconfirmed: Error, CustomStringConvertible {
        let description = "the syslog server did not end TLS after the records"
    }

    // Facility 13 is "log audit" (RFC 5424 §6.2.1); severity 4 is a warning, 6 is informational.
    private static let facility = 13
    private static let mostNameBytes = 32

    init(_ syslog: AuditSettings.Syslog, patience: Duration = .seconds(20)) throws {
        address = syslog.address
        self.patience = patience
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = syslog.caFile {
            let roots = try UnusableSetting.reading("audit.syslog.caFile", file, as: "PEM certificates") {
                try NIOSSLCertificate.fromPEMFile(file)
            }
            configuration.additionalTrustRoots = [.certificates(roots)]
        }
        context = try NIOSSLContext(configuration: configuration)
    }

    /// Sends a batch.
    func send(_ batch: AuditForwarding.Batch) async throws {
        let isConfirmed = LockedState(false)
        let channel = try await connect(isConfirmed)
        var buffer = channel.allocator.buffer(capacity: 64 * 1024)
        for line in batch.lines {
            let message = Self.message(line)
            buffer.writeString("\(message.count) ")
            buffer.writeBytes(message)
        }
        // A server that takes nothing must not hold the batch for ever.
        let deadline = channel.eventLoop.scheduleTask(in: Self.amount(patience)) { channel.close(mode: .all, promise: nil) }
        defer { deadline.cancel() }
        do {
            try await channel.writeAndFlush(buffer)
        } catch {
            channel.close(mode: .all, promise: nil)
            throw error
        }
        // The library's close succeeds also without the server's end of TLS: after five seconds, and when the connection breaks.
        try await channel.close()
        guard isConfirmed.withLock({ $0 }) else { throw Unconfirmed() }
    }

    private static func amount(_ duration: Duration) -> TimeAmount { .seconds(duration.components.seconds) }

    private func connect(_ isConfirmed: LockedState<Bool>) async throws -> any Channel {
        let name = IPAddress(address.host) == nil ? address.host : nil
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.amount(patience))
            .channelInitializer { [context] channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: name)
                    try channel.pipeline.syncOperations.addHandlers([tls, EndOfTLS(isConfirmed)])
                }
            }
            .connect(host: address.host, port: address.port).get()
    }

    /// One message.
    static func message(_ line: AuditForwarding.Line) -> [UInt8] {
        let priority = facility * 8 + (line.isRefusal ? 4 : 6)
        let isPlain = line.name.utf8.allSatisfy { (33...126).contains($0) }
        let name = isPlain ? line.name.cut(toBytes: mostNameBytes) : "-"
        let header = "<\(priority)>1 \(line.time.rfc3339) - postern - \(name) - "
        return Array(header.utf8) + line.json.canonical()
    }
}

/// Notes that the server has ended TLS after the sender did. An end of its own accord before that confirms nothing.
private final class EndOfTLS: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let isConfirmed: LockedState<Bool>
    private var isClosing = false

    init(_ isConfirmed: LockedState<Bool>) { self.isConfirmed = isConfirmed }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isClosing = true
        context.close(mode: mode, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isClosing, case .shutdownCompleted? = event as? TLSUserEvent { isConfirmed.withLock { $0 = true } }
        context.fireUserInboundEventTriggered(event)
    }
}
