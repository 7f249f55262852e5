import Project

extension ImportedAccount.Provider {
    // The prefix of Google's ids in `federatedId` (`contract/client-accounts.md` §5.5); no other provider has a documented form.
    private static let googlePrefix = "https://accounts.google.com/"

    /// Names the first text that is longer than the store's indexes allow; `nil` when all fit.
    func tooLongKey(_ providerID: String, _ rawID: String) -> String? {
        if !KeyLength.fits(providerID, KeyLength.providerID) { return "providerId" }
        if !KeyLength.fits(rawID, KeyLength.rawID) { return "rawId" }
        return email.map { KeyLength.fits($0, KeyLength.email) } ?? true ? nil : "email of \(providerID)"
    }

    /// Finds the provider and the user's id there.
    ///
    /// - Parameter mode: Production reads `federatedId` where there is no `rawId`, the emulator does not.
    /// - Returns: Both; `nil` when one of them is missing.
    func identifier(mode: ModeRules) -> (providerID: String, rawID: String)? {
        if let providerID, let rawID { return (providerID, rawID) }
        guard mode.readsFederatedIDs, let federatedID else { return nil }
        if providerID ?? "google.com" == "google.com", federatedID.hasPrefix(Self.googlePrefix) {
            let rawID = String(federatedID.dropFirst(Self.googlePrefix.count))
            return rawID.isEmpty ? nil : ("google.com", rawID)
        }
        return providerID.map { ($0, federatedID) }
    }
}
