import Federation
import Project
import Storage

extension ImportedAccount.Provider {
    /// Names the first text that is longer than the store's indexes allow; `nil` when all fit.
    func tooLongKey(_ providerID: String, _ rawID: String) -> String? {
        if !KeyLength.fits(providerID, KeyLength.providerID) { return "providerId" }
        if !KeyLength.fits(rawID, KeyLength.rawID) { return "rawId" }
        return email.map { KeyLength.fits($0, KeyLength.email) } ?? true ? nil : "email of \(providerID)"
    }

    func record(_ providerID: String, _ rawID: String) -> IdentityRecord {
        IdentityRecord(
            providerID: providerID,
            rawID: rawID,
            email: email,
            displayName: displayName,
            photoURL: photoURL,
            screenName: screenName
        )
    }

    /// Finds the provider and the user's id there.
    ///
    /// - Parameter mode: Production reads `federatedId` where there is no `rawId`, the emulator does not.
    func identifier(mode: ModeRules) -> (providerID: String, rawID: String)? {
        if let providerID, let rawID { return (providerID, rawID) }
        guard mode.readsFederatedIDs, let federatedID else { return nil }
        for provider in Providers.builtIn where providerID ?? provider.id == provider.id {
            guard let prefix = provider.federatedIDPrefix, federatedID.hasPrefix(prefix) else { continue }
            let rawID = String(federatedID.dropFirst(prefix.count))
            return rawID.isEmpty ? nil : (provider.id, rawID)
        }
        return providerID.map { ($0, federatedID) }
    }
}
