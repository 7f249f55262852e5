/// Accounts and what changes them.
extension ModeRules {
    /// Whether e-mail addresses must be plain, and new ones such that mail can reach them; otherwise one `@` with something on both sides is enough.
    package var checksEmailAddresses: Bool { rule(production: true, development: false) }

    /// Whether phone numbers must be possible and are stored in E.164; otherwise a `+` at the beginning is enough, and they are stored as sent.
    package var checksPhoneNumbers: Bool { rule(production: true, development: false) }

    /// Whether an e-mail address that is an empty text counts as none where it may be left out.
    package var takesEmptyEmailAsNone: Bool { rule(production: false, development: true) }

    /// Whether an account shows `disabled: false` once it was switched on, and empty lists once its last provider or factor is gone.
    package var showsWhatWasEmptied: Bool { rule(production: false, development: true) }

    /// Whether changes of ways in need a recent sign-in, one with a second factor where the account has one.
    package var needsRecentSignIn: Bool { rule(production: true, development: false) }

    /// Whether the new address must be proven where a session replaces one that was proven, that e-mail privacy hides, or whose account
    /// has second factors.
    package var guardsProvenAddresses: Bool { rule(production: true, development: false) }

    /// Whether a proof of whose an address is ends what was set up before it: ways in, sessions, codes and changes of address.
    package var proofsEndUnprovenCredentials: Bool { rule(production: true, development: false) }

    /// Whether a sign-up in a session may set a password for the address that its account has.
    package var signUpTakesOwnAddress: Bool { rule(production: true, development: false) }

    /// Whether every change of an address but by a code sends a way back, to the first address that the account had; otherwise only
    /// users' changes do, codes included, to the proven address that the account leaves.
    package var waysBackLeadToFirstAddress: Bool { rule(production: false, development: true) }

    /// Whether the codes of an account live on when an administrator moves it to another address or removes the one that it has.
    package var keepsCodesWhenAdministratorsMove: Bool { rule(production: false, development: true) }

    /// Whether changes of address that were asked for in sessions are forgotten when the sessions end or the account gets a first second factor.
    package var forgetsAddressChanges: Bool { rule(production: true, development: false) }

    /// Whether it stays known that an account's address was proven when its user removes it.
    package var keepsAddressProofs: Bool { rule(production: true, development: false) }

    /// Whether an account keeps its address when its password is removed.
    package var keepsAddressWithoutPassword: Bool { rule(production: true, development: false) }

    /// Whether lists of providers beside a one-time code count.
    package var takesProvidersBesideCode: Bool { rule(production: false, development: true) }

    /// Whether users may link providers and set second factors in `accounts:update`, as administrators may.
    package var usersUpdateAsAdministrators: Bool { rule(production: false, development: true) }
}
