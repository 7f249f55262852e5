import Project

/// `appLinks.*`: the apps that open links in e-mails by themselves.
package struct AppLinkSettings: Sendable {
    /// An app on Android, which its signing certificates name.
    package struct AndroidApp: Sendable, Hashable {
        package let name: String
        /// SHA-256 of a certificate in upper-case hex, with colons.
        package let fingerprint: String
    }

    /// Apple developer team id; `nil` claims nothing for apps of Apple's platforms.
    package let appleTeamID: String?
    /// Bundle ids of the team's apps; `nil` for those of the project's provider `apple.com`.
    package let appleBundleIDs: [String]?
    package let androidApps: [AndroidApp]

    init(_ reader: SettingsReader) {
        appleTeamID = reader.optional(
            "appleTeamId",
            .text("ten upper-case letters and digits") { $0.wholeMatch(of: /[A-Z0-9]{10}/) == nil ? nil : $0 },
            "Apple developer team id of the apps"
        )
        appleBundleIDs = reader.optional(
            "appleBundleIds",
            .list(of: "bundle ids") { $0.wholeMatch(of: /[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*/) == nil ? nil : $0 },
            otherwise: "`bundleIds` of the project's `apple.com`",
            "bundle ids of the team's apps"
        )
        if reader.isSet("appleBundleIds") { reader.require("appleTeamId", "as appLinks.appleBundleIds is set") }
        androidApps = reader.value(
            "androidApps",
            .list(of: "apps such as `com.example.app=14:6D:…`, each a package and the SHA-256 of a certificate", Self.app),
            default: [],
            otherwise: "none",
            "apps on Android; one with several certificates is named several times"
        )
    }

    private static func app(_ text: String) -> AndroidApp? {
        let form = /([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+)=([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31})/
        return text.wholeMatch(of: form).map { AndroidApp(name: String($0.1), fingerprint: $0.2.uppercased()) }
    }
}
