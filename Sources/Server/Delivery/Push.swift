import Foundation
import Messaging
import Project
import Settings
import Tokens

/// The way to iOS apps.
enum Push {
    /// The client of Apple's push service; `nil` when `apns.*` names no key.
    static func client(_ settings: APNsSettings, _ environment: ServerEnvironment) throws -> APNsClient? {
        guard let key = settings.key else { return nil }
        let token = try UnusableSetting.reading("apns.privateKeyFile", key.privateKeyFile, as: "a key of Apple's (.p8)") {
            try APNsProviderToken(
                keyID: key.id,
                teamID: key.teamID,
                privateKey: try String(contentsOfFile: key.privateKeyFile, encoding: .utf8),
                environment: environment
            )
        }
        return APNsClient(
            baseURL: settings.baseURL.text,
            providerToken: { try token.text() },
            refusedToken: { token.refused($0) },
            http: environment.http
        )
    }
}
