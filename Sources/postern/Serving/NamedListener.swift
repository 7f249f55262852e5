import Foundation
import NIOCore
import ServiceLifecycle

/// A listener that says, when it cannot listen, by which settings.
struct NamedListener: Service, CustomStringConvertible {
    let listener: any Service
    /// The settings that it listens by.
    let keys: String
    let host: String
    let port: Int

    var description: String { "Listener(\(host):\(port))" }

    func run() async throws {
        do {
            try await listener.run()
        } catch let error as IOError {
            throw UnusableSetting(keys, "cannot listen at \(host), port \(port): \(error.systemReason)")
        } catch let error as SocketAddressError {
            throw UnusableSetting(keys, "cannot listen at \(host), port \(port): \(error)")
        }
    }
}

extension IOError {
    /// The system's word for it, such as `Address already in use`.
    fileprivate var systemReason: String { String(cString: strerror(errnoCode)) }
}
