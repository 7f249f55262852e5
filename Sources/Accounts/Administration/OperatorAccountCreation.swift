package import Passwords
package import Project
package import Storage

/// Makes accounts for operators: the rules that protect accounts from each other hold, those that hold strangers back do not.
package struct OperatorAccountCreation: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let configurations: ConfigurationStore
    private let hasher: PasswordHasher
    private let events: EventOutbox

    package init(
        database: any Database,
        environment: ServerEnvironment,
        configurations: ConfigurationStore,
        hasher: PasswordHasher,
        events: EventOutbox
    ) {
        self.events = events
        self.database = database
        self.environment = environment
        self.configurations = configurations
        self.hasher = hasher
    }

    /// What the account is to be.
    package struct Request: Sendable {
        package var localID: String?
        package var email: String?
        package var isEmailVerified = false
        package var password: String?
        package var phoneNumber: String?
        package var displayName: String?

        package init() {}
    }

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - request: What it is to be.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The account.
    /// - Throws: `APIError` `DUPLICATE_LOCAL_ID`, `INVALID_PHONE_NUMBER`, `PHONE_NUMBER_EXISTS`, `INVALID_EMAIL`, `EMAIL_EXISTS`,
    ///   and what the password policy has against the password (`contract/admin-accounts.md` §4); `StorageError`.
    package func run(_ request: Request, context: CallContext) async throws -> AccountView {
        let scope = context.scope
        let configuration = try await configurations.configuration(of: scope)
        let time = environment.now()
        var account = AccountRecord(localID: request.localID ?? environment.newLocalID(), createdAt: time)
        guard (1...128).contains(account.localID.utf16.count) else { throw APIError(.invalidIdentifier) }
        if let number = request.phoneNumber {
            guard number.wholeMatch(of: /\+[0-9]{4,15}/) != nil else { throw APIError(.invalidPhoneNumber, "Invalid format.") }
            account.phoneNumber = number
        }
        if let named = request.email {
            account.email = try require(EmailAddress.canonical(named), .invalidEmail)
            account.emailVerified = request.isEmailVerified
        }
        if let password = request.password {
            if account.email == nil { throw APIError(.missingEmail) }
            try configuration.passwordPolicy.check(password)
            account.passwordHash = try await hasher.hash(password).text
            account.passwordUpdatedAt = time
        }
        account.displayName = request.displayName
        let event = AuditEvent(
            eventID: environment.randomText(length: 20),
            occurredAt: time,
            event: "create",
            localID: account.localID,
            actor: context.actor,
            address: context.address
        )
        let events = events
        try await database.write { [account] transaction in
            try Self.checkFree(account, scope, in: transaction)
            try transaction.insertAccount(scope, account)
            try events.note([.created], of: account, scope, eventID: event.eventID, at: time, in: transaction)
            try transaction.insertAuditEvent(scope, event)
        }
        return AccountView(scope: scope, account: account, identities: [])
    }

    // The order of the contract; the unique constraints are the truth for those who race.
    private static func checkFree(_ account: AccountRecord, _ scope: Scope, in transaction: any Transaction) throws {
        if try transaction.account(scope, localID: account.localID) != nil { throw APIError(.duplicateLocalID) }
        if let number = account.phoneNumber, try transaction.account(scope, phoneNumber: number) != nil {
            throw APIError(.phoneNumberExists)
        }
        if let email = account.email, try transaction.account(scope, email: email) != nil { throw APIError(.emailExists) }
    }
}
