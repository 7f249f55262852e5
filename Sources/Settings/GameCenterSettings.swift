package import Federation
import Foundation

/// `gameCenter.*`: the authorities that certify Game Center's keys.
package struct GameCenterSettings: Sendable {
    /// Path of a PEM file with the only accepted authorities.
    package let caFile: String?

    init(_ reader: SettingsReader) {
        caFile = reader.optional(
            "caFile",
            .path,
            otherwise: "the system's roots",
            "PEM file of the only authorities that may have certified Game Center's keys"
        )
    }
}

extension GameCenterTrust {
    package init(_ settings: GameCenterSettings) throws {
        guard let file = settings.caFile else {
            self = .system
            return
        }
        self = try UnusableSetting.reading("gameCenter.caFile", file, as: "PEM certificates") {
            try GameCenterTrust(pem: String(contentsOfFile: file, encoding: .utf8))
        }
    }
}
