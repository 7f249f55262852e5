import HTTPAPI
import Hummingbird
import HummingbirdCore
import Logging
import NIOCertificateReloading
import NIOCore
import NIOHTTP2
import NIOSSL
import Project
import ServiceLifecycle
import Settings

/// A socket to listen on, with what it lets in. It is made of the settings alone, so that it can be bound before the store is opened.
struct ListenerSocket {
    private let settings: Settings
    private let isPrivate: Bool
    /// The address to listen on.
    let host: String
    private let port: Int
    /// The settings that say where.
    private let keys: String
    private let certificate: ServedCertificate?
    /// While so many connections are open, others wait in the system's queue. What ``ConnectionLimiter`` lets in is fewer.
    private let acceptLimit: Int
    /// Where the listener logs.
    var logger: Logger

    private static let backlog = 1024

    /// The socket of the public listener, with TLS when the settings say so.
    static func main(_ settings: Settings, certificate: ServedCertificate?, logger: Logger) -> ListenerSocket {
        ListenerSocket(
            settings: settings,
            isPrivate: false,
            host: settings.server.host,
            port: settings.server.port,
            keys: "server.host and server.port",
            certificate: certificate,
            acceptLimit: ConnectionLimit.ofPublicListener,
            logger: logger
        )
    }

    /// The socket of the private listener for administrators; `nil` when there is none.
    static func admin(_ settings: Settings, logger: Logger) -> ListenerSocket? {
        guard let admin = settings.server.admin else { return nil }
        return ListenerSocket(
            settings: settings,
            isPrivate: true,
            host: admin.host,
            port: admin.port,
            keys: "server.adminHost and server.adminPort",
            certificate: nil,
            acceptLimit: ConnectionLimit.ofPrivateListener,
            logger: logger
        )
    }

    /// The listener on this socket.
    func service(
        _ responder: some HTTPResponder<PosternContext>,
        onRunning: @escaping @Sendable (Int) -> Void
    ) throws -> any Service {
        let listener = Application(
            responder: responder,
            server: try Self.server(certificate, try listenerLimits()),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                serverName: nil,
                backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(acceptLimit, logger: logger)
            ),
            onServerRunning: { [isPrivate, host, port, logger] channel in
                let bound = channel.localAddress?.port ?? port
                if isPrivate { logger.notice("private listener", metadata: ["host": "\(host)", "port": "\(bound)"]) }
                onRunning(bound)
            },
            logger: logger
        )
        return NamedListener(listener: listener, keys: keys, host: host, port: port)
    }

    // Clients of the private listener are administrators: their addresses have no share.
    private func listenerLimits() throws -> ListenerLimits {
        let server = settings.server
        let limits = settings.limits
        return ListenerLimits(
            connections: ConnectionLimiter(
                isPrivate ? ConnectionLimit.privateRules : ConnectionLimit.publicRules(limits.connections)
            ),
            budget: FairShare(
                total: limits.bodies.totalBytes,
                perAddress: isPrivate ? limits.bodies.totalBytes : limits.bodies.perAddressBytes
            ),
            clientAddress: ClientAddress(trusted: server.trustedProxies),
            proxies: server.trustedProxies,
            refusals: try ListenerLimits.Refusals(mode: settings.mode)
        )
    }

    private static func server(_ certificate: ServedCertificate?, _ listenerLimits: ListenerLimits) throws -> HTTPServerBuilder {
        var tls: NIOSSLContext?
        if let certificate {
            var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: certificate)
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
            tls = try NIOSSLContext(configuration: configuration)
        }
        return HTTPServerBuilder { [tls] responder in
            ListenerChannel(responder: responder, listenerLimits: listenerLimits, tls: tls)
        }
    }
}
