import Foundation
import NIOCore
import ServiceLifecycle
import Settings

/// A listener whose errors name its settings.
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
            throw UnusableSetting(keys, "\(host):\(port) \(error.inPlainWords)")
        } catch let error as SocketAddressError {
            throw UnusableSetting(keys, "\(host):\(port) cannot be listened on: \(error)")
        }
    }
}

extension IOError {
    /// The reason in words for operators.
    fileprivate var inPlainWords: String {
        switch errnoCode {
        case EADDRINUSE: "is in use; another server listens there, perhaps another Postern"
        case EADDRNOTAVAIL: "is no address of this machine"
        default: "cannot be listened on: \(String(cString: strerror(errnoCode)))"
        }
    }
}
