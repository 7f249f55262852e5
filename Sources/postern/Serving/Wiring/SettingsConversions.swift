import Accounts
import Federation
import Foundation

extension EndpointSettings.Endpoint {
    /// The URL when the operator set one.
    var overridden: String? { isOverridden ? url.text : nil }
}

extension Providers.Endpoints {
    /// The settings' URLs.
    init(_ settings: EndpointSettings) {
        self.init(
            apple: settings.apple.overridden,
            google: settings.google.overridden,
            facebookDialog: settings.facebookDialog.overridden,
            facebook: settings.facebook.url.text,
            githubAPI: settings.githubAPI.url.text,
            googleTokenInfo: settings.googleTokenInfo.url.text,
            linkedin: settings.linkedin.url.text,
            microsoft: settings.microsoft.url.text,
            microsoftGraph: settings.microsoftGraph.url.text,
            playGames: settings.playGames.url.text,
            twitter: TwitterEndpoints(overridden: settings.twitter.overridden),
            yahoo: settings.yahoo.url.text
        )
    }
}

extension GameCenterTrust {
    /// The settings' authorities.
    ///
    /// - Throws: When the file cannot be read or holds no certificates.
    init(_ settings: GameCenterSettings) throws {
        guard let file = settings.caFile else {
            self = .system
            return
        }
        self = try UnusableSetting.reading("gameCenter.caFile", file, as: "PEM certificates") {
            try GameCenterTrust(pem: String(contentsOfFile: file, encoding: .utf8))
        }
    }
}

extension Throttle.Limits {
    /// The settings' figures.
    init(_ settings: LimitSettings) {
        self.init(
            signUpsPerAddressPerHour: settings.signUp.perAddressPerHour,
            passwordFailuresPerAccount: settings.password.failuresPerAccount,
            passwordFailuresPerAddressPerHour: settings.password.failuresPerAddressPerHour,
            mailsPerRecipientPerHour: settings.email.perRecipientPerHour,
            mailsPerAddressPerHour: settings.email.perAddressPerHour,
            changesPerAccountPerHour: settings.account.changesPerHour
        )
    }
}

extension AuthorizationProviders.Endpoints {
    /// The settings' addresses.
    init(_ settings: EndpointSettings) {
        self.init(
            apple: settings.apple.overridden,
            google: settings.google.url.text,
            twitter: TwitterEndpoints(overridden: settings.twitter.overridden),
            facebook: settings.facebook.url.text,
            facebookDialog: settings.facebookDialog.url.text,
            github: settings.github.url.text,
            microsoft: settings.microsoft.url.text,
            yahoo: settings.yahoo.url.text,
            linkedIn: settings.linkedin.url.text
        )
    }
}
