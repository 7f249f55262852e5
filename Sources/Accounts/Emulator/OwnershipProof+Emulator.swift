import Project
import Storage

extension OwnershipProof {
    /// Ends what the emulator ends with the proof.
    func emulate(on account: inout AccountRecord, in transaction: Transaction) throws -> Removed {
        if case .emulatedTakeover = kind {
            account.losePassword()
            account.phoneNumber = nil
            account.hasEmailLinkSignIn = false
        } else {
            try transaction.deleteAllIdentities(scope, localID: account.localID)
        }
        if account.emailVerified != true {
            account.initialEmail = nil
            try transaction.deleteAllPasskeys(scope, localID: account.localID)
        }
        account.emailVerified = true
        account.endTokens(at: time)
        try transaction.revokeSessions(scope, localID: account.localID, at: time)
        return Removed()
    }
}
