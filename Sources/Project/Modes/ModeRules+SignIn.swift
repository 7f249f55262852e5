/// Signing in.
extension ModeRules {
    /// Whether sign-in methods and second factors are on where the project's configuration says nothing of them.
    package var allowsMethodsByDefault: Bool { rule(production: false, development: true) }

    /// Whether e-mail privacy is on where the configuration says nothing of it.
    package var hidesAccountsByDefault: Bool { rule(production: true, development: false) }

    /// Whether providers' credentials are verified whatever `development.verifyCredentials` says.
    package var alwaysVerifiesCredentials: Bool { rule(production: true, development: false) }

    /// Whether a provider must be known and configured for the project.
    package var needsConfiguredProviders: Bool { rule(production: true, development: false) }

    /// Whether `autoCreate: false` keeps a provider's credential from making an account.
    package var heedsAutoCreate: Bool { rule(production: true, development: false) }

    /// Whether what a provider leaves out this time of its user stays as it was told before.
    package var keepsProviderProfiles: Bool { rule(production: true, development: false) }

    /// Whether an answer that asks for a confirmation names the account that has the address.
    package var namesAccountToConfirm: Bool { rule(production: false, development: true) }

    /// Whether `accounts:signInWithIdp` answers `username` beside `screenName`.
    package var answersUserName: Bool { rule(production: true, development: false) }

    /// Whether a sign-up may bring second factors.
    package var signUpTakesSecondFactors: Bool { rule(production: false, development: true) }

    /// Whether a sign-up with an e-mail address and without a name takes away the name of the account that it continues.
    package var signUpClearsName: Bool { rule(production: false, development: true) }

    /// Whether the link of an e-mail sign-in is looked at before the form of the address.
    package var looksAtLinkBeforeAddress: Bool { rule(production: false, development: true) }

    /// Whether phone numbers sign in only where `signIn.phoneNumber` is enabled.
    package var heedsPhoneSwitch: Bool { rule(production: true, development: false) }

    /// Whether a reauthentication by phone number is refused for a number that no account has.
    package var reauthenticationNeedsAccount: Bool { rule(production: true, development: false) }

    /// Whether a passkey must answer a challenge of this server for its origin.
    package var verifiesPasskeys: Bool { rule(production: true, development: false) }

    /// The relying party of every passkey; without one `passkeys.rpId` decides.
    package var relyingPartyOfEveryPasskey: String? { rule(production: nil, development: "localhost") }

    /// What an `mfaPendingCredential` answers that cannot be read.
    package var unreadablePendingCredential: ErrorCode {
        rule(production: .invalidMFAPendingCredential, development: .unreadableMFAPendingCredential)
    }

    /// Whether an instant verification of Android is refused as the proof of a second factor.
    package var refusesAndroidProofs: Bool { rule(production: false, development: true) }

    /// Whether a blocking function may answer any JSON but null, which then changes nothing.
    package var takesAnyFunctionAnswer: Bool { rule(production: false, development: true) }

    /// The HTTP status of a failed blocking function; without one its error code decides.
    package var statusOfFailedFunction: Int? { rule(production: nil, development: 500) }

    /// Whether sign-ups, wrong passwords, codes and messages are limited.
    package var throttles: Bool { rule(production: true, development: false) }

    /// Whether `recaptchaConfig` is enforced for e-mail addresses and passwords.
    package var enforcesRecaptcha: Bool { rule(production: true, development: false) }

    /// Whether `recaptchaParams` answers the emulator's site key.
    package var answersFakeSiteKey: Bool { rule(production: false, development: true) }
}
