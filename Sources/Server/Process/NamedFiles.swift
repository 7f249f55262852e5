import Accounts
import Federation
import Project
package import Settings

/// The files that settings name beside the store.
package enum NamedFiles {
    /// At least one cannot be used.
    package struct Unusable: Error, CustomStringConvertible {
        /// One line for each file.
        package let description: String
    }

    /// Reads each of them as the server will, so that a start that cannot succeed does not create a database first.
    package static func check(_ settings: Settings) throws {
        let faults = faults(of: settings)
        guard faults.isEmpty else { throw Unusable(description: faults.joined(separator: "\n")) }
    }

    /// Lists the files that cannot be used, one line for each.
    static func faults(of settings: Settings) -> [String] {
        var faults: [String] = []
        func attempt(_ read: () throws -> Void) {
            do { try read() } catch { faults.append("\(error)") }
        }
        attempt { if case .file(let path) = settings.secrets.masterKey { _ = try MasterKeySource.read(path) } }
        attempt { _ = try MasterKeySource.previous(settings.secrets.previousMasterKey) }
        faults += (settings.server.tls.map(ServedCertificate.faults) ?? []).map { "\($0)" }
        attempt { if let file = settings.outbound.caFile { _ = try LiveHTTP.roots(file) } }
        attempt { _ = try GameCenterTrust(settings.gameCenter) }
        let nowhere = OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
        attempt { _ = try Push.client(settings.apns, ServerEnvironment.live(http: nowhere)) }
        return faults
    }
}
