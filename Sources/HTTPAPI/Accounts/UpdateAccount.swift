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
    let idTokens: IDTokenRules

    // `contract/conventions.md` §3, in index order.
    private static let attributes: [(name: String, attribute: AccountUpdate.Attribute?)] = [
        ("USER_ATTRIBUTE_NAME_UNSPECIFIED", nil), ("EMAIL", .email), ("DISPLAY_NAME", .displayName), ("PROVIDER", .provider),
        ("PHOTO_URL", .photoURL), ("PASSWORD", .password), ("RAW_USER_INFO", nil),
    ]

    struct Body: ProtoDecodable {
        let idToken: String?
        let localID: String?
        let oobCode: String?
        let email: String?
        let password: String?
        let customAttributes: String?
        let disableUser: Bool?
        let validSince: Int64?
        var changes = AccountUpdate.Changes()

        init(_ body: ProtoObject) throws {
            idToken = try body.string("idToken")
            localID = try body.string("localId")
            oobCode = try body.string("oobCode")
            email = try body.string("email")
            password = try body.string("password")
            customAttributes = try body.string("customAttributes")
            disableUser = try body.bool("disableUser")
            validSince = try body.integer("validSince")
            changes.displayName = try body.string("displayName")
            changes.photoURL = try body.string("photoUrl")
            changes.deletedProviders = try body.strings("deleteProvider")
            let names = try body.enumerations("deleteAttribute", of: attributes.map(\.name))
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
        let passwordHash: String?
        let providerUserInfo: [ProviderUserInfo]?
        let idToken: String?
        let refreshToken: String?
        let expiresIn: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let selection = try select(body, context)
        var changes = body.changes
        if context.isPrivileged {
            changes.isDisabled = body.disableUser
            changes.customAttributes = try body.customAttributes.map(CustomClaims.validated)
            changes.validSince = body.validSince.map { .seconds($0) }
        } else if let validSince = body.validSince, validSince != 0 {
            changes.validSince = .now
        }
        return answer(try await update.run(changes, of: selection, context: context))
    }

    // The order of `contract/client-accounts.md` §9.2.
    private func select(_ body: Body, _ context: CallContext) throws -> AccountSelection {
        if context.isPrivileged, body.idToken == nil {
            let localID = try require(body.localID, .missingLocalID)
            if body.email != nil || body.password != nil { throw APIError(.operationNotAllowed) }
            return .localID(localID, context.scope)
        }
        if body.idToken == nil, body.oobCode == nil {
            throw APIError(.invalidReqType, "Unsupported request parameters.")
        }
        if !context.isPrivileged, body.customAttributes != nil { throw APIError(.insufficientPermission) }
        guard let idToken = body.idToken, body.oobCode == nil else { throw APIError(.operationNotAllowed) }
        let token = try idTokens.verify(idToken, scope: context.scope)
        if body.disableUser != nil, !context.isPrivileged { throw APIError(.operationNotAllowed) }
        if body.email != nil || body.password != nil { throw APIError(.operationNotAllowed) }
        return .session(token)
    }

    private func answer(_ result: AccountUpdate.Result) -> Answer {
        let account = result.view.account
        let tokens = result.tokens.map(TokensJSON.init)
        let entries = ProviderUserInfo.entries(of: result.view)
        return Answer(
            localId: account.localID,
            email: account.email,
            displayName: account.displayName,
            photoUrl: account.photoURL,
            emailVerified: account.emailVerified,
            passwordHash: account.passwordHash.map { _ in AccountJSON.redactedPasswordHash },
            providerUserInfo: entries.isEmpty ? nil : entries,
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresIn
        )
    }
}
