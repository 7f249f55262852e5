/// One-time codes in links and text messages, and the mail that tells of changes.
extension ModeRules {
    /// Whether codes and proofs of phone numbers expire, and those of text messages are good for a limited number of tries.
    package var codesExpire: Bool { rule(production: true, development: false) }

    /// Whether a newer code in a link makes the older ones of its kind worthless.
    package var newerCodeEndsOlder: Bool { rule(production: true, development: false) }

    /// Whether codes are logged and can be listed.
    package var showsCodes: Bool { rule(production: false, development: true) }

    /// Whether each code is a millisecond younger than the one before, so that the last of a list is the last that was sent.
    package var spacesCodes: Bool { rule(production: false, development: true) }

    /// Whether a code is kept that no message can carry.
    package var keepsUnsentCodes: Bool { rule(production: false, development: true) }

    /// Whether a proof of a phone number can be used once.
    package var phoneProofsWorkOnce: Bool { rule(production: true, development: false) }

    /// Whether a text message is sent only after proof of the app, to a region that is allowed, and once for repeated requests.
    package var checksTextMessages: Bool { rule(production: true, development: false) }

    /// Whether an iOS app is verified by a silent push message.
    package var verifiesIOSApps: Bool { rule(production: true, development: false) }

    /// Whether the settings of a link must be complete, and its app and link domain those of the project.
    package var checksLinkSettings: Bool { rule(production: true, development: false) }

    /// Whether continue URLs must be web addresses of authorized domains.
    package var checksContinueURLs: Bool { rule(production: true, development: false) }

    /// Whether links lead to `/emulator/action`, with the emulator's order of parameters.
    package var linksLeadToEmulatorPage: Bool { rule(production: false, development: true) }

    /// Whether a link that an app is to open is wrapped in one that its system hands to the app.
    package var wrapsLinksForApps: Bool { rule(production: true, development: false) }

    /// Whether owners of accounts are told by mail of changed ways in.
    package var tellsOwnersOfChanges: Bool { rule(production: true, development: false) }

    /// What a reset of a password answers for a malformed address.
    package var malformedAddressOfReset: ErrorCode { rule(production: .invalidEmail, development: .emailNotFound) }

    /// Whether a malformed address of a link's recipient is taken as it is.
    package var takesAnyRecipient: Bool { rule(production: false, development: true) }

    /// Whether a code that resets a password is refused for a disabled account.
    package var resetsRefuseDisabledAccounts: Bool { rule(production: true, development: false) }
}
