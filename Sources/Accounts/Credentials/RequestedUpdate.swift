package import Project
import Storage

/// `accounts:update`, as a user, an administrator, or the holder of a one-time code asks for it
/// (`Docs/Contract/client-accounts.md` §9, `Docs/Contract/admin-accounts.md` §6).
package struct RequestedUpdate: Sendable {
    let database: any Database
    let mode: ModeRules
    let idTokens: IDTokenRules
    let update: AccountUpdate
    let codes: CodeApplication

    package struct Request: Sendable {
        package var idToken: String?
        package var localID: String?
        package var oobCode: String?
        /// The changes that every caller may ask for.
        package var changes = AccountUpdate.Changes()
        package var admin = AdminChanges()
        package var customAttributes: String?
        package var disableUser: Bool?
        /// `validSince` in seconds. Its form is an error for administrators only.
        package var validSince: Swift.Result<Int64?, any Error> = .success(nil)
        /// Whether `validSince` has a value. From a user any value means now, even "0".
        package var hasValidSince = false
        /// The features of the request that the emulator knows but does not implement.
        package var unsupported: [String] = []

        package init() {}
    }

    /// A changed account.
    package struct Result: Sendable {
        package let view: AccountView
        /// The address that the request has set.
        package let newEmail: String?
        /// New tokens where the old ones died.
        package var tokens: IssuedTokens?
    }

    /// Changes an account.
    ///
    /// - Throws: ``NotImplemented`` in development.
    package func apply(_ request: Request, context: CallContext) async throws -> Result {
        try checkCaller(request, context)
        if mode.refusesWhatEmulatorLacks, let feature = request.unsupported.first {
            throw NotImplemented.byEmulator(feature)
        }
        let changes = try changes(of: request, context)
        if let code = request.oobCode { return try await apply(code, changes, context) }
        let result = try await update.apply(changes, of: select(request, context), context: context)
        return Result(
            view: result.view,
            newEmail: changes.email == nil ? nil : result.view.account.email,
            tokens: result.tokens
        )
    }

    private func checkCaller(_ request: Request, _ context: CallContext) throws {
        if context.isPrivileged {
            _ = try require(request.localID, .missingLocalID)
        } else if request.idToken == nil, request.oobCode == nil {
            throw APIError(.invalidReqType, "Unsupported request parameters.")
        } else if request.customAttributes != nil {
            throw APIError(.insufficientPermission)
        }
    }

    // The changes that this caller may make.
    private func changes(of request: Request, _ context: CallContext) throws -> AccountUpdate.Changes {
        var changes = request.changes
        changes.isDisabled = request.disableUser
        if mode.takesEmptyEmailAsNone, changes.email?.isEmpty == true { changes.email = nil }
        if context.isPrivileged {
            changes.customAttributes = try request.customAttributes.flatMap {
                $0.isEmpty ? nil : try CustomClaims.validated($0)
            }
            changes.validSince = try request.validSince.get().map { .seconds($0) }
            changes.admin = request.admin
        } else {
            if request.hasValidSince { changes.validSince = .now }
            if mode.usersUpdateAsAdministrators { changes.admin = request.admin.emulated }
        }
        return changes
    }

    private func select(_ request: Request, _ context: CallContext) throws -> AccountSelection {
        guard let idToken = request.idToken else {
            return .localID(try require(request.localID, .missingLocalID), context.scope)
        }
        let token = try idTokens.verify(idToken, scope: context.scope)
        return context.isPrivileged ? .delegate(token) : .session(token)
    }

    // Beside a code, development reads only the lists of providers (`Docs/Contract/client-accounts.md` §9.1). Production ignores
    // these too: the code proves a mailbox, but removing a way to sign in requires a recent session and notifies the owner.
    private func apply(_ code: String, _ changes: AccountUpdate.Changes, _ context: CallContext) async throws -> Result {
        guard mode.takesProvidersBesideCode, let lists = changes.providersOnly else {
            let applied = try await codes.apply(code, context: context)
            return Result(view: applied.view, newEmail: applied.newEmail)
        }
        let application = try await codes.prepare(code, context: context)
        // The code's transaction names the account.
        let besides = try await update.prepare(lists, of: .localID("", context.scope), context: context)
        let (applied, stored) = try await database.write { transaction -> Swift.Result<Both, APIError> in
            switch try application.perform(in: transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let applied):
                return .success((applied, try Self.attempt(besides.of(applied.view.account), in: transaction)))
            }
        }.get()
        codes.complete(application, applied)
        return Result(view: try update.complete(besides, stored.get()).view, newEmail: applied.newEmail)
    }

    private typealias Both = (CodeApplication.Result, Swift.Result<AccountUpdate.Stored, any Error>)

    // Lists are refused before they change anything, and the code stays used (`Docs/Contract/client-accounts.md` §9.3).
    private static func attempt(
        _ lists: AccountUpdate.UpdateTransaction,
        in transaction: Transaction
    ) throws -> Swift.Result<AccountUpdate.Stored, any Error> {
        do {
            return .success(try lists.perform(in: transaction))
        } catch let refusal as APIError {
            return .failure(refusal)
        } catch let refusal as InvalidArgument {
            return .failure(refusal)
        }
    }
}
