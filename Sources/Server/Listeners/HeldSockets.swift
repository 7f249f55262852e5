import Logging
import Project
import ServiceLifecycle
import Settings

/// The sockets of the listeners, bound before the store is opened.
final class HeldSockets: Sendable {
    private let listeners = LockedState<(main: HeldListener?, admin: HeldListener?)>((nil, nil))

    var main: HeldListener? { listeners.withLock { $0.main } }
    var admin: HeldListener? { listeners.withLock { $0.admin } }

    func bind(_ settings: Settings, _ certificate: ServedCertificate?, _ logger: Logger) async throws {
        if let socket = ListenerSocket.admin(settings, logger: logger) {
            let admin = try await HeldListener.bind(socket, mode: settings.mode, logger: logger)
            listeners.withLock { $0.admin = admin }
        }
        let socket = ListenerSocket.main(settings, certificate: certificate, logger: logger)
        let main = try await HeldListener.bind(socket, mode: settings.mode, logger: logger)
        listeners.withLock { $0.main = main }
    }

    /// A listener that lets requests in.
    struct Opened: Sendable {
        let isPrivate: Bool
        let port: Int
    }

    /// Gives the sockets what answers on them.
    ///
    /// - Returns: The services that let requests in. They come last, so that they end first.
    func prepare(_ listener: Listener, announce: @escaping @Sendable (Opened) -> Void) -> [any Service] {
        let addresses = listener.core.addresses
        if let admin {
            let port = admin.port
            addresses.adminPort.port = port
            admin.prepare(listener.privateDoor()) { announce(Opened(isPrivate: true, port: port)) }
        }
        if let main {
            let port = main.port
            addresses.publicPort.port = port
            main.prepare(listener.publicDoor()) { announce(Opened(isPrivate: false, port: port)) }
        }
        return [admin, main].compactMap(\.self)
    }

    /// Gives the sockets back.
    func close() async {
        await main?.close()
        await admin?.close()
    }
}
