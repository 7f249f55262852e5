import Glibc
import NIOCore
import ServiceLifecycle

/// A listener that says in plain words why it has no address.
struct BoundListener: Service {
    /// Host and port, as the settings have them.
    let name: String
    let application: any Service

    /// Why nothing listens.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// Listens and serves until it is asked to stop.
    ///
    /// - Throws: ``Refused``; whatever else ends the application.
    func run() async throws {
        do { try await application.run() } catch let error as IOError {
            switch error.errnoCode {
            case EADDRINUSE:
                throw Refused(description: "\(name) is in use; another server listens there, perhaps another Postern")
            case EADDRNOTAVAIL: throw Refused(description: "\(name) is no address of this machine")
            case EACCES: throw Refused(description: "\(name) cannot be listened on: permission denied")
            default: throw error
            }
        }
    }
}
