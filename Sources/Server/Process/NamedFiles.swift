import Accounts
import Federation
import NIOSSL
import Project
package import Settings

/// The files that settings name beside the store.
package enum NamedFiles {
    /// Reads each of them as the server will, so that a start that cannot succeed does not create a database first.
    ///
    /// - Throws: ``MasterKeySource/Unusable``, ``UnusableSetting``.
    package static func check(_ settings: Settings) throws {
        if case .file(let path) = settings.secrets.masterKey { _ = try MasterKeySource.read(path) }
        if let tls = settings.server.tls { _ = try Listener.configuration(tls) }
        if let file = settings.outbound.caFile { _ = try LiveHTTP.roots(file) }
        _ = try GameCenterTrust(settings.gameCenter)
        let nowhere = OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
        _ = try Push.client(settings.apns, ServerEnvironment.live(http: nowhere))
    }
}
