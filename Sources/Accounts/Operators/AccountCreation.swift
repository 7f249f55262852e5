import Passwords
package import Project
package import Storage
import Tenancy
import Tokens

/// Creates accounts for administrators (`Docs/Contract/admin-accounts.md` §4).
package struct AccountCreation: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let changeLog: ChangeLog
    let hasher: PasswordHasher

    /// The properties of the new account; an empty request is allowed.
    package struct Request: Sendable {
        package var localID: String?
        /// The account to change instead of creating one.
        package var idToken: String?
        package var email: String?
        package var emailVerified: Bool?
        package var password: String?
        package var displayName: String?
        package var photoURL: String?
        package var phoneNumber: String?
        package var isDisabled: Bool?
        package var enrollments: [AdminEnrollment] = []

        package init() {}
    }

    package func create(_ request: Request, context: CallContext) async throws -> AccountRecord {
        try request.check(mode)
        let request = request.withoutEmptyEmail(mode)
        if request.idToken != nil, request.localID != nil { throw APIError(.unexpectedParameter, "User ID") }
        let token = try request.idToken.map { try idTokens.verify($0, scope: context.scope) }
        let context = context.inScope(token?.scope ?? context.scope)
        let scope = context.scope
        let configuration = try await configurations.configuration(of: scope)
        let selection = token.map(AccountSelection.delegate)
        try await check(request, selection, configuration, scope)
        let passwordText = try await request.password.asyncMap { try await hasher.hash($0, for: nil).text }
        let stamp = changeLog.stamp(context)
        let localID = request.localID ?? environment.newLocalID()
        let enrollments = AdminEnrollments(request.enrollments, ids: .fresh, environment: environment, mode: mode)
        let mode = mode
        let created = try await database.write { transaction in
            let old = try selection?.account(in: transaction)
            try Self.checkIdentifiers(request, of: old, scope, mode, in: transaction)
            var edit =
                try old.map { try AccountEdit(of: $0, stamp, in: transaction) }
                ?? AccountEdit(creating: .init(localID: localID, createdAt: stamp.time), stamp, in: transaction)
            if let old, request.email != nil, !mode.keepsCodesWhenAdministratorsMove {
                try transaction.deleteOOBCodes(scope, boundTo: old)
            }
            try request.apply(to: &edit.account, mode: mode, at: stamp.time)
            if let passwordText { edit.account.setPassword(passwordText, at: stamp.time) }
            if !request.enrollments.isEmpty {
                edit.account.secondFactors = try enrollments.factors(replacing: [], at: stamp.time)
            }
            try enrollments.check(edit.account)
            if let old, passwordText != nil {
                try transaction.revokeSessions(scope, localID: old.localID, at: stamp.time)
            }
            let view = try edit.store(as: old == nil ? .create : .update, revokesSessions: passwordText != nil)
            return view.account
        }
        changeLog.wake()
        return created
    }

    // Checks the request before a password is hashed; the transaction checks the identifiers again.
    private func check(
        _ request: Request,
        _ selection: AccountSelection?,
        _ configuration: ScopeConfiguration,
        _ scope: Scope
    ) async throws {
        let mode = mode
        try await database.read { transaction in
            let old = try selection?.account(in: transaction)
            try Self.checkIdentifiers(request, of: old, scope, mode, in: transaction)
        }
        if let password = request.password { try configuration.passwordPolicy.checkLength(password) }
        let enrollments = AdminEnrollments(request.enrollments, ids: .fresh, environment: environment, mode: mode)
        _ = try enrollments.factors(replacing: [], at: environment.now())
    }

    private static func checkIdentifiers(
        _ request: Request,
        of old: AccountRecord?,
        _ scope: Scope,
        _ mode: ModeRules,
        in transaction: Transaction
    ) throws {
        if let localID = request.localID, try transaction.account(scope, localID: localID) != nil {
            throw APIError(.duplicateLocalID)
        }
        if let phoneNumber = request.phoneNumber {
            let number = try PhoneNumber.required(phoneNumber, mode: mode)
            if number != old?.phoneNumber, try transaction.account(scope, phoneNumber: number) != nil {
                throw APIError(.phoneNumberExists)
            }
        }
        if let email = request.email {
            let email = try require(EmailAddress.canonical(email, mode: mode), .invalidEmail)
            // This also refuses the account's own address (`Docs/Contract/client-accounts.md` §1, rule 9).
            if try transaction.account(scope, email: email) != nil { throw APIError(.emailExists) }
        }
    }
}

extension AccountCreation.Request {
    fileprivate func check(_ mode: ModeRules) throws {
        if let localID, !LocalID.isAcceptable(localID) {
            throw InvalidArgument(
                "localId must not have more than \(LocalID.maximumLength) characters, nor the character U+0000, and be in NFC"
            )
        }
        try ProfileLimits.check(displayName, named: "displayName", atMost: ProfileLimits.displayName, mode)
        try ProfileLimits.check(photoURL, named: "photoUrl", atMost: ProfileLimits.photoURL, mode)
        for enrollment in enrollments { try enrollment.check(mode) }
    }

    fileprivate func withoutEmptyEmail(_ mode: ModeRules) -> Self {
        var request = self
        if mode.takesEmptyEmailAsNone, email?.isEmpty == true { request.email = nil }
        return request
    }

    fileprivate func apply(to account: inout AccountRecord, mode: ModeRules, at time: Timestamp) throws {
        // The number is set before the address is vouched for, so that it counts as old as the proof.
        if let phoneNumber { account.take(phoneNumber: try PhoneNumber.required(phoneNumber, mode: mode), at: time) }
        if let email {
            account.email = try require(EmailAddress.canonical(email, mode: mode), .invalidEmail)
            account.vouch(forAddress: false, at: time)
        }
        if let emailVerified { account.vouch(forAddress: emailVerified, at: time) }
        account.emailVerified = account.emailVerified ?? false
        if let displayName { account.displayName = displayName.isEmpty ? nil : displayName }
        if let photoURL { account.photoURL = photoURL.isEmpty ? nil : photoURL }
        if let isDisabled { account.isDisabled = isDisabled }
    }
}

extension Optional {
    fileprivate func asyncMap<T>(_ transform: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
