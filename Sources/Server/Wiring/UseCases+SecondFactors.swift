import Accounts
import HTTPAPI
import Project
import Settings
import WebAuthn

// Second factors and passkeys.
extension UseCases {
    /// `mfaEnrollment:start` and `finalize`.
    var secondFactorEnrollment: SecondFactorEnrollment {
        SecondFactorEnrollment(
            database: database,
            environment: environment,
            configurations: configurations,
            idTokens: idTokens,
            recentLogin: recentLogin,
            smsCodes: phone.codes,
            secrets: totpSecrets,
            notices: notices,
            renewal: renewal,
            mode: mode
        )
    }

    /// `mfaEnrollment:withdraw`.
    var secondFactorWithdrawal: SecondFactorWithdrawal {
        SecondFactorWithdrawal(
            database: database,
            environment: environment,
            configurations: configurations,
            idTokens: idTokens,
            recentLogin: recentLogin,
            renewal: renewal,
            mode: mode
        )
    }

    /// `mfaSignIn`.
    var secondFactorSignIn: SecondFactorSignIn {
        SecondFactorSignIn(
            database: database,
            configurations: configurations,
            pending: pendingFactors,
            smsCodes: phone.codes,
            secrets: totpSecrets,
            throttle: throttle,
            pipeline: pipeline,
            refusals: refusals
        )
    }

    /// `passkeyEnrollment`.
    var passkeyEnrollment: PasskeyEnrollment {
        PasskeyEnrollment(
            database: database,
            environment: environment,
            configurations: configurations,
            idTokens: idTokens,
            recentLogin: recentLogin,
            challenges: challenges,
            party: relyingParty,
            notices: notices,
            renewal: renewal,
            mode: mode
        )
    }

    /// `passkeySignIn`.
    var passkeySignIn: PasskeySignIn {
        PasskeySignIn(
            database: database,
            configurations: configurations,
            challenges: challenges,
            party: relyingParty,
            pipeline: pipeline,
            refusals: refusals,
            mode: mode
        )
    }

    private var totpSecrets: TOTPSecrets { TOTPSecrets(sealer: sealer, environment: environment) }

    private var renewal: SessionRenewal { SessionRenewal(mint: mint, events: events, throttle: throttle) }

    private var challenges: PasskeyChallenges { PasskeyChallenges(sealer: sealer, environment: environment) }

    // The emulator's relying party is always localhost.
    private var relyingParty: @Sendable () -> RelyingParty {
        if let id = mode.relyingPartyOfEveryPasskey { return { RelyingParty(id: id, origins: []) } }
        let (passkeys, publicURL) = (settings.passkeys, publicURL)
        return {
            let url = WebURL(publicURL())
            // Without a public URL no origin is ours.
            let id = url.map(passkeys.rpID) ?? ""
            return RelyingParty(id: id, origins: url.map(passkeys.origins) ?? [])
        }
    }
}
