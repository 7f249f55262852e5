/// What only the emulator's paths do.
package struct EmulatorUseCases: Sendable {
    package let accountReset: AccountReset
    package let oobCodeListing: OOBCodeListing
}
