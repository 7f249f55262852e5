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
