import Accounts
import HTTPTypes
import Project
import Storage

/// `accounts:update`: profile fields, unlinking, ending sessions (`contract/client-accounts.md` §9).
struct UpdateAccount: Endpoint {
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        path: "v1/accounts:update",
        legacyName: "setAccountInfo",
        projectPath: "accounts:update"
    )

    let update: AccountUpdate
    let codes: CodeApplication
    let idTokens: IDTokenRules
    let mode: ServerMode

    // `contract/conventions.md` §3, in index order.
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
        let secondFactors: [EnrollmentList.Entry]?
        /// Whether it asks an administrator's change that this version does not make.
        let isUnsupported: Bool
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
            changes.displayName = try body.string("displayName", atMost: 256)
            changes.photoURL = try body.string("photoUrl", atMost: 2048)
            secondFactors = try body.object("mfa").map { try $0.objects("enrollments").map(EnrollmentList.Entry.init) }
            changes.deletedPasskeys = try body.strings("deletePasskey")
            isUnsupported = try Self.namesUnsupported(body)
            changes.deletedProviders = try body.strings("deleteProvider")
            let names = try body.enumerations("deleteAttribute", of: attributes.map(\.name))
            changes.deletedAttributes = names.compactMap { name in attributes.first { $0.name == name }?.attribute }
        }

        // Clients may send these and are not heard (`contract/client-accounts.md` §9.1); their shape counts all the same.
        private static func namesUnsupported(_ body: ProtoObject) throws -> Bool {
            let texts = ["phoneNumber", "createdAt", "lastLoginAt"]
            try body.ignore(texts: texts + ["instanceId"], booleans: ["emailVerified", "returnSecureToken"])
            return try (texts + ["emailVerified"]).contains { body.value($0) != nil }
                || body.object("linkProviderUserInfo") != nil || body.object("mfa") != nil
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
        if let code = body.oobCode {
            let result = try await codes.run(code, context: context)
            return answer(result.view, newEmail: result.newEmail, tokens: nil)
        }
        let selection = try select(body, context)
        var changes = body.changes
        if context.isPrivileged {
            changes.isDisabled = body.disableUser
            changes.customAttributes = try body.customAttributes.map(CustomClaims.validated)
            changes.validSince = try Self.seconds(body.validSince).map { .seconds($0) }
            if body.isUnsupported { throw TransportError.notImplemented("This change by an administrator") }
        } else {
            if Self.isTruthy(body.validSince) { changes.validSince = .now }
            if mode == .development {
                changes.secondFactors = body.secondFactors
                changes.requiresEnrollmentIDs = true
            }
        }
        let result = try await update.run(changes, of: selection, context: context)
        let newEmail = changes.email == nil ? nil : result.view.account.email
        return answer(result.view, newEmail: newEmail, tokens: result.tokens)
    }

    // Whatever a client writes means now (`contract/client-accounts.md` §9.1).
    private static func isTruthy(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .bool(false), .integer(0), .string(""), .string("0"), .string("false"): false
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

    // The order of `contract/client-accounts.md` §9.2.
    private func select(_ body: Body, _ context: CallContext) throws -> AccountSelection {
        if context.isPrivileged, body.idToken == nil {
            let localID = try require(body.localID, .missingLocalID)
            return .localID(localID, context.scope)
        }
        if body.idToken == nil, body.oobCode == nil {
            throw APIError(.invalidReqType, "Unsupported request parameters.")
        }
        if !context.isPrivileged, body.customAttributes != nil { throw APIError(.insufficientPermission) }
        let idToken = try require(body.idToken, .invalidIDToken)
        let token = try idTokens.verify(idToken, scope: context.scope)
        if body.disableUser != nil, !context.isPrivileged { throw APIError(.operationNotAllowed) }
        return .session(token)
    }

    private func answer(_ view: AccountView, newEmail: String?, tokens issued: IssuedTokens?) -> Answer {
        let account = view.account
        let tokens = issued.map(TokensJSON.init)
        let entries = ProviderUserInfo.entries(of: view)
        return Answer(
            localId: account.localID,
            email: account.email,
            displayName: account.displayName,
            photoUrl: account.photoURL,
            emailVerified: account.emailVerified,
            newEmail: newEmail,
            passwordHash: account.passwordHash.map { _ in AccountJSON.redactedPasswordHash },
            providerUserInfo: entries.isEmpty ? nil : entries,
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresIn
        )
    }
}
