/// `gameCenter.*`: whose keys Apple's Game Center signs with.
package struct GameCenterSettings: Sendable {
    /// Path of a PEM file: the only authorities whose certificates count.
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
