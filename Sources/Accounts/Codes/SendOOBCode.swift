package import Project
import Storage
import Tenancy
import Tokens

/// Sends one-time codes (`Docs/Contract/client-accounts.md` §12).
package struct SendOOBCode: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let throttle: Throttle
    let dailyCounts: DailyCounts
    let mail: OOBMail
    let recaptcha: RecaptchaGate
    let continueURLs: ContinueURLRule
    let functions: BlockingFunctionCaller

    /// The address and account that a code is bound to.
    private struct Target {
        let email: String
        var newEmail: String?
        var account: AccountRecord?
        /// The session that asks, when it is a session of the account.
        var session: VerifiedIDToken?
        /// Whether the answer must not reveal if the address has an account.
        var isHidden = false
        /// Whether nobody may get the code, and the answer must not reveal it: no account has the address, or another one has proven the
        /// new one. All work is done as for others, but nothing is stored or sent.
        var isNobody = false
        /// Whether only ``account`` may use the code.
        var isForAccount = false
    }

    /// Makes a code of the type that a request names.
    ///
    /// - Parameter request: The client's request; its type is not read.
    /// - Throws: `APIError` `MISSING_REQ_TYPE`; ``NotImplemented`` in development for a type that has no code.
    package func send(_ request: Request, type name: String?, context: CallContext) async throws -> Result {
        guard let name, name != Self.unspecifiedType else { throw APIError(.missingReqType) }
        do {
            var request = request
            request.type = try require(OOBRequestType(rawValue: name), .invalidReqType)
            return try await send(request, context: context)
        } catch let error as APIError where error.code == .invalidReqType && mode.refusesWhatEmulatorLacks {
            throw NotImplemented.byEmulator(name)
        }
    }

    private static let unspecifiedType = "OOB_REQ_TYPE_UNSPECIFIED"

    /// Makes a code and sends it, or gives it to an administrator.
    func send(_ request: Request, context: CallContext) async throws -> Result {
        if request.returnsLink, !context.isPrivileged { throw APIError(.insufficientPermission) }
        var context = context
        let token = idTokens.select(request.idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        let app = try app(of: request, configuration.policy)
        try await checkCaptcha(of: request, configuration, context)
        let target = try await target(of: request, token, configuration.policy, context)
        if !request.returnsLink {
            try await functions.askBeforeEmail(request.type, to: target.email, policy: configuration.policy, context: context)
        }
        let (draft, link) = try code(for: target, request, app, configuration, context)
        if request.returnsLink {
            try await record(draft.record, nil, for: target, context)
            if target.isNobody { return Result(email: target.email) }
            return Result(email: target.email, code: draft.code, link: link.text)
        }
        let content = OOBMailer.MailContent(code: draft.record, link: link, recipient: target.newEmail, account: target.account)
        let message = try message(content, isHidden: target.isHidden, configuration, context)
        let keepsCode = message != nil || mode.keepsUnsentCodes
        try await record(keepsCode ? draft.record : nil, message, for: target, context)
        mail.mailer.wake()
        if message != nil, !target.isNobody { dailyCounts.note(.mails, request.type.rawValue, in: context.scope) }
        return Result(email: target.email)
    }

    private func checkCaptcha(
        of request: Request,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) async throws {
        guard request.type == .passwordReset || request.type == .emailSignIn else { return }
        try await recaptcha.checkEmailPassword(
            request.captcha,
            action: .getOOBCode,
            configuration: configuration,
            context: context
        )
    }

    private func code(
        for target: Target,
        _ request: Request,
        _ app: OOBLink.App?,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) throws -> (OOBCodeMint.Draft, OOBLink.Localized) {
        var draft = mail.codes.draft(request.type, email: target.email)
        draft.record.newEmail = target.newEmail
        if target.isForAccount { draft.record.localID = target.account?.localID }
        let link = mail.links.link(draft, continueURL: request.continueURL, app: app, configuration, context: context)
        try mail.codes.keep(link.text, in: &draft, scope: context.scope)
        return (draft, link)
    }

    // A hidden address must not be revealed by an error of the mail. Development lists codes even when their message cannot be
    // made. Then there is no message.
    private func message(
        _ content: OOBMailer.MailContent,
        isHidden: Bool,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) throws -> OutboxRecord? {
        do {
            return try mail.mailer.message(content, configuration: configuration.document, scope: context.scope)
        } catch let error as APIError where isHidden || mode.keepsUnsentCodes {
            environment.count("postern_refusals_total", [("code", error.code.rawValue)])
            return nil
        }
    }

    // The app that opens the link, with its link domain; `nil` when the client wants none.
    private func app(of request: Request, _ policy: SignInPolicy) throws -> OOBLink.App? {
        var app = request.app
        app.linkDomain = try linkDomain(of: request, policy)
        return request.canHandleCodeInApp ? app : nil
    }

    // Checks the continue URL and the app fields; returns the link domain as a host.
    private func linkDomain(of request: Request, _ policy: SignInPolicy) throws -> HostName? {
        if let url = request.continueURL { try continueURLs.check(url, domains: policy.authorizedDomains) }
        guard mode.checksLinkSettings else { return nil }
        if request.canHandleCodeInApp, request.continueURL == nil { throw APIError(.missingContinueURI) }
        if request.dynamicLinkDomain != nil { throw APIError(.invalidDynamicLinkDomain) }
        let domain = try request.linkDomain.map { try LinkDomainRule.host($0, domains: policy.authorizedDomains) }
        if request.describesIOSApp, request.app.iOSBundleID == nil { throw APIError(.missingIOSBundleID) }
        if request.describesAndroidApp, request.app.androidPackageName == nil { throw APIError(.missingAndroidPackageName) }
        return domain
    }

    // Applies the rules of each type, in the contract's order.
    private func target(
        of request: Request,
        _ token: Swift.Result<VerifiedIDToken, any Error>?,
        _ policy: SignInPolicy,
        _ context: CallContext
    ) async throws -> Target {
        let scope = context.scope
        switch request.type {
        case .emailSignIn:
            guard policy.allowsEmailLink else { throw APIError(.operationNotAllowed) }
            let named = try require(request.email.flatMap { $0.isEmpty ? nil : $0 }, .missingEmail)
            let email = try recipient(named, EmailAddress.canonical(named, mode: mode), .invalidEmail)
            // The link leads back to the app; without an address to go on to it would be of no use. An administrator's server may send it
            // on by itself, as with the Admin SDK for PHP.
            if mode.checksLinkSettings, request.continueURL == nil, !context.isPrivileged { throw APIError(.missingContinueURI) }
            try await count(email, request, context)
            let account = try await database.read { try $0.account(scope, email: email) }
            return Target(email: email, account: account)
        case .passwordReset:
            // To the emulator a malformed address is one that nobody has.
            let email = try address(request.email, .missingEmail, mode.malformedAddressOfReset)
            try await count(email, request, context)
            if let account = try await database.read({ try $0.account(scope, email: email) }) {
                return Target(email: email, account: account, isHidden: policy.hidesAccounts)
            }
            guard policy.hidesAccounts else { throw APIError(.emailNotFound) }
            return Target(email: email, isHidden: true, isNobody: true)
        case .verifyEmail:
            let account = try await owner(of: request, token, missing: .invalidIDToken, context)
            let email = try require(account.email, .missingEmail)
            try await count(email, request, context)
            var target = Target(email: email, account: account, session: try token?.get())
            target.isForAccount = true
            return target
        case .verifyAndChangeEmail:
            let newEmail = try require(request.newEmail.flatMap { $0.isEmpty ? nil : $0 }, .missingNewEmail)
            let account = try await owner(of: request, token, missing: .missingIDToken, context)
            let email = try require(account.email, .missingEmail)
            let canonical = try recipient(newEmail, EmailAddress.canonicalNew(newEmail, mode: mode), .invalidNewEmail)
            try await count(canonical, request, context)
            let session = try token?.get()
            if let session { try idTokens.recentLogin.checkSensitive(session, account, policy.mfa, at: environment.now()) }
            var target = Target(email: email, newEmail: canonical, account: account, session: session)
            target.isForAccount = true
            guard let holder = try await database.read({ try $0.account(scope, email: canonical) }) else { return target }
            guard mode.proofsEndUnprovenCredentials, holder.localID != account.localID else { throw APIError(.emailExists) }
            // Who proves an address takes it from an account that never did, so its mailbox gets the code (ruling 40).
            if holder.hasProvenAddress {
                guard policy.hidesAccounts, !request.returnsLink else { throw APIError(.emailExists) }
                target.isNobody = true
            }
            return target
        case .recoverEmail, .revertSecondFactorAddition:
            throw APIError(.invalidReqType)
        }
    }

    // The limit is checked before the answer shows whether the address has an account. A link for an administrator
    // is no message and is not limited.
    private func count(_ email: String, _ request: Request, _ context: CallContext) async throws {
        if !request.returnsLink { try await throttle.mail(request.type, to: email, context: context) }
    }

    private func address(_ text: String?, _ missing: ErrorCode, _ invalid: ErrorCode) throws -> String {
        try require(EmailAddress.canonical(try require(text.flatMap { $0.isEmpty ? nil : $0 }, missing), mode: mode), invalid)
    }

    // The emulator accepts any text as an address (`Docs/Contract/client-accounts.md` §12.2).
    private func recipient(_ text: String, _ canonical: String?, _ invalid: ErrorCode) throws -> String {
        if let canonical { return canonical }
        guard mode.takesAnyRecipient, text.utf8.count <= EmailAddress.maximumLength else { throw APIError(invalid) }
        return text.lowercased()
    }

    // Finds the token's account, or for an administrator who wants a link the account of the address.
    private func owner(
        of request: Request,
        _ token: Swift.Result<VerifiedIDToken, any Error>?,
        missing: ErrorCode,
        _ context: CallContext
    ) async throws -> AccountRecord {
        let scope = context.scope
        if let token = try token?.get() {
            return try await database.read { try IDTokenRules.authorizedAccount(of: token, in: $0) }
        }
        guard request.returnsLink else { throw APIError(missing) }
        let email = try address(request.email, .missingEmail, .invalidEmail)
        return try require(try await database.read { try $0.account(scope, email: email) }, .userNotFound)
    }

    // The account was read earlier. If its session has ended, or its address was proven or changed since, the code must not be
    // stored.
    private static func check(_ target: Target, _ scope: Scope, in transaction: Transaction) throws {
        guard let account = target.account else { return }
        guard target.isForAccount else {
            // The read makes the transaction collide with one that takes the account over, which ends the codes of before.
            _ = try transaction.account(scope, localID: account.localID)
            return
        }
        if let session = target.session {
            let current = try IDTokenRules.authorizedAccount(of: session, in: transaction)
            guard current.proofGeneration == account.proofGeneration, current.email == account.email else {
                throw APIError(.tokenExpired)
            }
        } else if try transaction.account(scope, localID: account.localID)?.email != account.email {
            throw APIError(.userNotFound)
        }
    }

    private func record(
        _ code: OOBCodeRecord?,
        _ message: OutboxRecord?,
        for target: Target,
        _ context: CallContext
    ) async throws {
        let event = context.auditEvent(
            .sendOobCode,
            of: target.isForAccount ? target.account?.localID : nil,
            code.map { ["type": .string($0.type.rawValue)] },
            by: environment
        )
        let scope = context.scope
        // A newer code makes the older ones worthless (threat case OOB-02); in the emulator they all go on working.
        let replacesOlder = mode.newerCodeEndsOlder
        try await database.write { transaction in
            if let code {
                try Self.check(target, scope, in: transaction)
                // Older codes end also where no code is made: a caller who holds one could tell by it whether the address has an account.
                if replacesOlder { try transaction.deleteOOBCodes(scope, email: code.email, type: code.type) }
                if !target.isNobody { try transaction.insertOOBCode(scope, code) }
            }
            // Mail to a relay address that its user switched off would only be retried in vain (threat case APL-14).
            let recipient = code?.newEmail ?? code?.email
            if let message, try !transaction.isMailDisabled(scope, email: recipient ?? ""), !target.isNobody {
                try transaction.insertOutboxMessage(message)
            }
            try transaction.insertAuditEvent(scope, event)
        }
    }
}
