/// What development does as the Firebase emulator does it and production does not: one name for each rule.
extension ServerMode {
    /// Whether an e-mail address that is an empty text counts as none where it may be left out.
    package var takesEmptyEmailAsNone: Bool { self == .development }

    /// Whether an account that was switched on shows `disabled: false`, and one whose last provider is gone an empty list of them.
    package var showsWhatWasEmptied: Bool { self == .development }

    /// Whether tokens have `email_verified` also where the account has the flag and no address (ruling 34).
    package var claimsVerificationWithoutEmail: Bool { self == .development }

    /// Whether the code of an e-mail link is looked at before the form of the address (ruling 14).
    package var looksAtLinkBeforeAddress: Bool { self == .development }

    /// Whether a blocking function may answer any JSON but null, which then changes nothing.
    package var takesAnyFunctionAnswer: Bool { self == .development }
}
