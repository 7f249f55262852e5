import Project

/// `outbound.*`: the limits of the server's own requests.
package struct OutboundSettings: Sendable {
    /// Whether plain `http`, loopback, link-local and private addresses may be called (ruling 1).
    package let allowPrivateNetworks: Bool
    /// Time allowed for one call, in seconds.
    package let timeoutSeconds: Int
    /// Path of a PEM bundle that is trusted besides the system's roots.
    package let caFile: String?

    init(_ reader: SettingsReader) {
        allowPrivateNetworks = reader.value(
            "allowPrivateNetworks",
            .boolean,
            default: reader.rules?.reachesPrivateNetworks == true,
            otherwise: "`true` in development, `false` in production",
            "let outgoing calls use plain http and reach loopback, link-local and private addresses"
        )
        timeoutSeconds = reader.value("timeoutSeconds", .integer(in: 1...120), default: 5, "time allowed for one outgoing call")
        caFile = reader.optional("caFile", .path, "PEM bundle trusted beside the system's roots for outgoing calls")
    }

    /// Records a problem for a URL that the server may not call. Every setting with the URL of another server is checked.
    func check(_ url: WebURL?, _ name: String, _ reader: SettingsReader) {
        guard let url, !url.isSecure, !allowPrivateNetworks, reader.mode != nil else { return }
        reader.refuse(name, "expected an https URL, as outbound.allowPrivateNetworks is false")
    }
}
