import Accounts
import Federation
import Foundation
import Settings

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
