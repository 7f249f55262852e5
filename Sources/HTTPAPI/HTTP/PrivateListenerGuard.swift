import Foundation
import Hummingbird

/// Keeps web pages away from the private listener, where a fixed word makes an administrator: a page that an operator looks at
/// reaches whatever their machine reaches (threat cases EMU-02 and EMU-03). Admin SDKs and monitors send no `Origin`.
struct PrivateListenerGuard: Sendable {
    /// Checks a request.
    ///
    /// - Throws: ``TransportError``.
    func check(_ request: Request) throws {
        guard let origin = request.headers[.origin] else { return }
        guard let components = URLComponents(string: origin), let host = components.host,
            let authority = request.head.authority?.lowercased(),
            authority == (components.port.map { "\(host):\($0)" } ?? host).lowercased()
        else { throw TransportError.foreign("Web pages may not call the private listener.") }
    }
}
