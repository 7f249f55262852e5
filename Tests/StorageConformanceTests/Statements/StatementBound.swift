/// What bounds the rows that a statement reads in tables that grow with the users.
enum StatementBound {
    /// Each index is bound up to a column that leads to one account, session, code, message or the like.
    case lookUp
    /// It goes along an index, and something else ends that. The reason says what.
    case walk(String)
    /// It reads everything. The reason says for whom.
    case everything(String)

    /// Tables that grow with the users.
    static let growing: Set = [
        "accounts", "identities", "passkeys", "sessions", "used_credentials", "email_outbox", "sms_outbox", "webhook_outbox",
        "oob_codes", "authorization_flows", "sms_codes", "app_credentials", "throttles", "audit_events",
        "answered_flows", "import_digests",
    ]

    /// By how many of its columns an index leads to one account, session, code or message.
    static let columns: [String: Int] = [
        "accounts_pkey": 3, "accounts_email": 3, "accounts_phone_number": 3, "accounts_initial_email": 3,
        "identities_pkey": 3, "identities_raw_id": 2, "identities_email": 3,
        "passkeys_pkey": 3, "passkeys_account": 3,
        "sessions_pkey": 1, "sessions_live": 3, "sessions_id": 1,
        "used_credentials_pkey": 3, "throttles_pkey": 3, "throttles_account": 3, "answered_flows_pkey": 1,
        "import_digests_pkey": 3,
        "email_outbox_pkey": 1, "sms_outbox_pkey": 1, "webhook_outbox_pkey": 1,
        "oob_codes_pkey": 1, "oob_codes_email": 3, "oob_codes_account": 3,
        "authorization_flows_pkey": 1, "sms_codes_pkey": 1, "sms_codes_number": 3, "app_credentials_pkey": 1,
        "audit_events_pkey": 1, "audit_events_of_account": 1,
    ]

    static func of(_ method: String) -> StatementBound { exceptions[method] ?? .lookUp }

    private static let cleaning = "a batch of what has expired, on one node, in the background"
    private static let page = "a page"

    /// The methods that do more than look up.
    static let exceptions: [String: StatementBound] = [
        "accounts(_:after:limit:)": .walk(page),
        "accounts(_:along:after:limit:)": .walk(page),
        "accounts(_:by:isDescending:limit:offset:)": .everything("accounts:query in any order, for administrators: one scope"),
        "accountCount(_:)": .everything("the emulator's and an administrator's count: one scope"),
        "accountCensus(_:limit:)": .walk("its limit"),
        "identities(_:providerID:limit:)": .everything("an operator's list by provider: one scope"),
        "identities(_:localIDs:)": .walk(
            "the accounts of a page, of which there may be as many as an empty table is thought to have"
        ),
        "passkeyHolders(_:localIDs:)": .walk("the accounts of a page, as above"),
        "passwordTexts(after:limit:)": .walk(page),
        "deleteFirstAccounts(of:limit:)": .everything("the removal of a tenant"),
        "deleteTenant(_:)": .everything("the removal of a tenant"),
        "deleteAllAccounts(_:)": .everything("the emulator's reset"),
        "endAllSessions(at:)": .everything("the restoration of a backup"),
        "forgetWhatWasBegun()": .everything("the restoration of a backup"),
        "sealedRows(_:after:limit:)": .everything("the change of the master key"),
        "deleteExpired(_:before:limit:)": .walk(cleaning),
        "deleteFinishedOutboxMessages(before:limit:in:)": .walk(cleaning),
        "resetThrottles(_:bucket:)": .walk("the names that begin with one account's"),
        "oobCodes(_:)": .everything("the emulator's list"),
        "smsCodes(_:)": .everything("the emulator's list"),
        "claimOutboxMessages(leaseID:now:leaseEnd:limit:in:)": .walk("its limit"),
        "waitingDeliveries(_:limit:in:)": .walk("its limit"),
        "finishedDeliveries(_:limit:in:)": .walk("its limit"),
        "hastenDeliveries(_:at:limit:in:)": .walk("its limit"),
        "countWaitingOutboxMessages(in:)": .walk("the messages that wait"),
        "auditEvents(_:_:)": .walk("a page of an account, a kind or a scope"),
        "unchainedAuditRows(closedBefore:after:limit:)": .walk("a page of the records of the last minutes"),
        "countUnchainedAuditRows(_:)": .walk("the records of the last minutes"),
        "chainedAuditRows(_:after:limit:)": .walk(page),
        "chainOfOldestAuditRow(inClass:before:except:)": .walk("the oldest record"),
        "deleteChainedAuditRows(_:through:)": .walk("the records that retention removes in one batch"),
        "auditChainKeys(ofProject:)": .everything("the verification of the trail"),
        "countAuditRowsWithoutChain(ofProject:)": .everything("the verification of the trail"),
    ]
}
