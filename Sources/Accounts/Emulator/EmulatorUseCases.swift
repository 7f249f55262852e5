/// What only the emulator's paths do.
package struct EmulatorUseCases: Sendable {
    package let accountReset: AccountReset
    package let oobCodeListing: OOBCodeListing

    init(_ ground: Ground, _ parts: SharedParts) {
        accountReset = AccountReset(ground: ground)
        oobCodeListing = OOBCodeListing(ground: ground, mint: parts.mail.codes)
    }
}
