import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Project

/// Looks at a certificate that was not accepted, since the TLS library does not say why. The connection carries no request.
enum RefusedCertificate {
    private static let patience = TimeAmount.seconds(5)

    /// Finds out why a certificate is not accepted.
    ///
    /// - Returns: The fault; `untrusted` when the certificate's time is good, or it is not to be had again.
    static func fault(of host: String, port: Int, at address: String) async -> OutboundError.CertificateFault {
        guard let certificate = try? await certificate(of: host, port: port, at: address) else { return .untrusted }
        let now = ServerEnvironment.systemClock()
        let (start, end) = (Int64(certificate.notValidBefore), Int64(certificate.notValidAfter))
        if now > Timestamp(seconds: end) { return .ended(Timestamp(seconds: end)) }
        return now < Timestamp(seconds: start) ? .early(Timestamp(seconds: start)) : .untrusted
    }

    private static func certificate(of host: String, port: Int, at address: String) async throws -> NIOSSLCertificate? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup.singleton
        let isName = (try? SocketAddress(ipAddress: host, port: port)) == nil
        let loop = group.next()
        let handshake = loop.makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: loop).connectTimeout(patience)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: isName ? host : nil)
                    try channel.pipeline.syncOperations.addHandlers([tls, HandshakeEnd(handshake)])
                }
            }
            .connect(host: address, port: port).get()
        let bound = loop.scheduleTask(in: patience) { channel.close(promise: nil) }
        defer {
            bound.cancel()
            channel.close(promise: nil)
        }
        try await handshake.futureResult.get()
        return try await channel.nioSSL_peerCertificate().get()
    }

    /// Tells the end of a handshake, good or bad.
    private final class HandshakeEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<Void>

        init(_ promise: EventLoopPromise<Void>) { self.promise = promise }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted = event as? TLSUserEvent { promise.succeed() }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

        // Also when the channel was never active.
        func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
    }
}
