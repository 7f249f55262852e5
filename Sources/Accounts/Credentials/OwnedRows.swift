import Project
import Storage

/// The tables with rows that belong to an account. ``OwnershipProof`` goes through this list, and decides for each what a proof of who owns
/// the account ends. A test reads the schema: a table that names accounts and is not in the list fails it, as does one in which an account's
/// id is found after everything was done with the account that can be done.
///
/// The order is that in which transactions change rows: counts come before codes, and codes before sessions.
enum OwnedRows: String, Sendable, CaseIterable {
    /// The account itself, with password, phone number and second factors. Its generation ends what is sealed or hashed with it: pending
    /// tokens, temporary proofs, unfinished enrolments, passkey challenges and first factors that wait for a second.
    case account = "accounts"
    /// Counts and marks, see ``AccountBucket``.
    case throttles
    case oobCodes = "oob_codes"
    case identities
    case passkeys
    case sessions
    /// Codes in text messages are bound to the account's generation.
    case smsCodes = "sms_codes"
    /// What the last import brought stays known, so that the next one does not bring back what the proof has ended.
    case importDigests = "import_digests"
    /// What happened stays known.
    case auditEvents = "audit_events"
}

extension OwnershipProof.Kind {
    /// Whether the proof ends a count or a mark of the account.
    ///
    /// The owner's own changes end none: the networks that are usual stay usual (threat case THR-09). Nor does a mailbox give anybody new
    /// guesses at second factors that stay.
    func ends(_ bucket: AccountBucket.Kind, leavingFactors leavesFactors: Bool) -> Bool {
        switch (self, bucket) {
        case (.ownAddress, _), (.change, _), (.emulatedTakeover, _), (.emulatedReset, _): false
        // How many sessions are remembered in a day is no matter of whose they were.
        case (_, .surplusSessions): false
        case (.takeover, .usualForSecondFactors), (.recovery, .usualForSecondFactors), (.revertedFactor, .usualForSecondFactors):
            true
        case (.reset, .usualForSecondFactors): !leavesFactors
        case (.revertedFactor, _): false
        case (_, .secondFactors): !leavesFactors
        case (_, .usual), (_, .changes), (_, .changesOfSignIn), (_, .removals): true
        }
    }
}
