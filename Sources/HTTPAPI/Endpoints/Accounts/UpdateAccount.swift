import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:update`: changes profile fields, unlinks providers, ends sessions (`Docs/Contract/client-accounts.md` §9).
struct UpdateAccount: Endpoint {
    static let summary = "Changes an account."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:update",
        legacyName: "setAccountInfo",
        projectPath: "accounts:update"
    )

    let update: AccountUpdate
    let codes: CodeApplication
    let idTokens: IDTokenRules
    let mode: ModeRules

    // The enum of `Docs/Contract/conventions.md` §3, in index order.
    private static let attributes: [(name: String, attribute: AccountUpdate.Attribute?)] = [
        ("USER_ATTRIBUTE_NAME_UNSPECIFIED", nil), ("EMAIL", .email), ("DISPLAY_NAME", .displayName), ("PROVIDER", .provider),
        ("PHOTO_URL", .photoURL), ("PASSWORD", .password), ("RAW_USER_INFO", nil),
    ]

    struct Body: ProtoDecodable {
        let idToken: String?
        let localID: String?
        let oobCode: String?
        let customAttributes: String?
        let disableUser: Bool?
        let validSince: JSONValue?
        /// The requested features that the emulator knows but does not implement.
        let unsupported: [String]
        /// The fields for administrators.
        let admin: AdminChanges
        var changes = AccountUpdate.Changes()

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            localID = try body.text("localId")
            oobCode = try body.text("oobCode")
            changes.email = try body.string("email")
            changes.password = try body.password("password")
            customAttributes = try body.string("customAttributes")
            disableUser = try body.bool("disableUser")
            validSince = try body.scalar("validSince")
            changes.displayName = try body.profileText("displayName", atMost: 256)
            changes.photoURL = try body.profileText("photoUrl", atMost: 2048)
            admin = try AdminChanges(body)
            try body.ignore(texts: ["instanceId"], booleans: ["returnSecureToken"])
            changes.deletedPasskeys = try body.strings("deletePasskey")
            changes.deletedProviders = try body.strings("deleteProvider")
            let names = try body.enumerations("deleteAttribute", of: attributes.map(\.name))
            let federates = try body.bool("upgradeToFederatedLogin") ?? false
            let providers = try body.strings("provider")
            unsupported =
                (federates ? ["upgradeToFederatedLogin"] : []) + (providers.isEmpty ? [] : ["provider"])
                + names.filter { ["PROVIDER", "RAW_USER_INFO"].contains($0) }
            changes.deletedAttributes = names.compactMap { name in attributes.first { $0.name == name }?.attribute }
        }
    }

    struct Answer: Encodable {
        let kind = "identitytoolkit#SetAccountInfoResponse"
        let localId: String
        let email: String?
        let displayName: String?
        let photoUrl: String?
        let emailVerified: Bool?
        let newEmail: String?
        let passwordHash: String?
        let providerUserInfo: [ProviderUserInfo]?
        let idToken: String?
        let refreshToken: String?
        let expiresIn: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        var changes = body.changes
        try checkCaller(body, context)
        if mode.refusesWhatEmulatorLacks, let feature = body.unsupported.first { throw TransportError.lackedByEmulator(feature) }
        changes.isDisabled = body.disableUser
        if mode.takesEmptyEmailAsNone, changes.email?.isEmpty == true { changes.email = nil }
        if context.isPrivileged {
            changes.customAttributes = try body.customAttributes.flatMap { $0.isEmpty ? nil : try CustomClaims.validated($0) }
            changes.validSince = try Self.seconds(body.validSince).map { .seconds($0) }
            changes.admin = body.admin
        } else {
            if Self.isTruthy(body.validSince) { changes.validSince = .now }
            if mode.usersUpdateAsAdministrators { changes.admin = body.admin.emulated }
        }
        if let code = body.oobCode {
            return try await apply(code, changes, context)
        }
        let selection = try select(body, context)
        let result = try await update.run(changes, of: selection, context: context)
        let newEmail = changes.email == nil ? nil : result.view.account.email
        return answer(result.view, newEmail: newEmail, tokens: result.tokens)
    }

    // Beside a code, development reads only the lists of providers (`Docs/Contract/client-accounts.md` §9.1). Production ignores
    // these too: the code proves a mailbox, but removing a way to sign in requires a recent session and notifies the owner.
    private func apply(_ code: String, _ changes: AccountUpdate.Changes, _ context: CallContext) async throws -> Answer {
        do {
            let result = try await codes.run(code, context: context)
            guard mode.takesProvidersBesideCode, let lists = changes.providersOnly else {
                return answer(result.view, newEmail: result.newEmail, tokens: nil)
            }
            let account = AccountSelection.localID(result.view.account.localID, context.scope)
            let changed = try await update.run(lists, of: account, context: context)
            return answer(changed.view, newEmail: result.newEmail, tokens: nil)
        } catch is CodeApplication.UnsupportedCode {
            throw TransportError.lackedByEmulator("A code of this kind")
        }
    }

    // Any value from a client means now, even "0" (`Docs/Contract/client-accounts.md` §9.1).
    private static func isTruthy(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .bool(false), .string(""): false
        default: true
        }
    }

    private static func seconds(_ value: JSONValue?) throws -> Int64? {
        switch value {
        case nil: return nil
        case .bool(let flag): return flag ? 1 : 0
        case .integer(let seconds) where seconds >= 0: return seconds
        case .string(let text):
            if let seconds = Int64(text), seconds >= 0 { return seconds }
        default: break
        }
        throw TransportError.wrongShape("/validSince", "must be a number of seconds")
    }

    // Checks the caller, in the order of `Docs/Contract/client-accounts.md` §9.2 and `Docs/Contract/admin-accounts.md` §6.
    private func checkCaller(_ body: Body, _ context: CallContext) throws {
        if context.isPrivileged {
            _ = try require(body.localID, .missingLocalID)
        } else if body.idToken == nil, body.oobCode == nil {
            throw APIError(.invalidReqType, "Unsupported request parameters.")
        } else if body.customAttributes != nil {
            throw APIError(.insufficientPermission)
        }
    }

    private func select(_ body: Body, _ context: CallContext) throws -> AccountSelection {
        guard let idToken = body.idToken else {
            return .localID(try require(body.localID, .missingLocalID), context.scope)
        }
        let token = try idTokens.verify(idToken, scope: context.scope)
        return context.isPrivileged ? .delegate(token) : .session(token)
    }

    private func answer(_ view: AccountView, newEmail: String?, tokens issued: IssuedTokens?) -> Answer {
        let account = view.account
        let tokens = issued.map(TokensJSON.init)
        return Answer(
            localId: account.localID,
            email: account.email,
            displayName: account.displayName,
            photoUrl: account.photoURL,
            emailVerified: account.emailVerified,
            newEmail: newEmail,
            passwordHash: account.passwordHash.map { _ in AccountJSON.redactedPasswordHash },
            providerUserInfo: ProviderUserInfo.shown(of: view),
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresIn
        )
    }
}
