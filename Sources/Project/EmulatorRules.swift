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

    /// Whether the codes of an account live on, and its old address gets a way back, when an administrator moves it to another address or
    /// removes the one that it has.
    package var keepsCodesWhenAdministratorsMove: Bool { self == .development }

    /// Whether lists of providers beside a one-time code count (`contract/client-accounts.md` §9.1).
    package var takesProvidersBesideCode: Bool { self == .development }

    /// Whether changes of address that were asked for in sessions are forgotten when the sessions end; the emulator keeps them.
    package var forgetsAddressChangesWithSessions: Bool { self == .production }

    /// Whether it stays known that an account's address was proven when its user removes it; the emulator forgets it (ruling 36).
    package var keepsAddressProofs: Bool { self == .production }

    /// Whether an account keeps its address when its password provider is removed; in the emulator it goes with it (ruling 27).
    package var keepsAddressWithoutPassword: Bool { self == .production }
}
