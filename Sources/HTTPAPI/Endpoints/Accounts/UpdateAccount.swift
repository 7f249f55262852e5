import Accounts
import Project
import Storage

/// `accounts:update`: changes profile fields, unlinks providers, ends sessions (`Docs/Contract/client-accounts.md` §9).
struct UpdateAccount: Endpoint {
    static let summary = "Changes an account."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:update",
        legacyName: "setAccountInfo",
        projectPath: "accounts:update"
    )

    let update: RequestedUpdate

    // The enum of `Docs/Contract/conventions.md` §3, in index order.
    private static let attributes: [(name: String, attribute: AccountUpdate.Attribute?)] = [
        ("USER_ATTRIBUTE_NAME_UNSPECIFIED", nil), ("EMAIL", .email), ("DISPLAY_NAME", .displayName), ("PROVIDER", .provider),
        ("PHOTO_URL", .photoURL), ("PASSWORD", .password), ("RAW_USER_INFO", nil),
    ]

    struct Body: ProtoDecodable {
        var request = RequestedUpdate.Request()

        init(_ body: ProtoObject) throws {
            request.idToken = try body.text("idToken")
            request.localID = try body.text("localId")
            request.oobCode = try body.text("oobCode")
            request.changes.email = try body.string("email")
            request.changes.password = try body.password("password")
            request.customAttributes = try body.string("customAttributes")
            request.disableUser = try body.bool("disableUser")
            let validSince = try body.scalar("validSince")
            request.validSince = Result { try Self.seconds(validSince) }
            request.hasValidSince = Self.isTruthy(validSince)
            request.changes.displayName = try body.profileText("displayName", atMost: ProfileLimits.displayName)
            request.changes.photoURL = try body.profileText("photoUrl", atMost: ProfileLimits.photoURL)
            request.admin = try AdminChanges(body)
            try body.ignore(texts: ["instanceId"], booleans: ["returnSecureToken"])
            request.changes.deletedPasskeys = try body.strings("deletePasskey")
            request.changes.deletedProviders = try body.strings("deleteProvider")
            let names = try body.enumerations("deleteAttribute", of: attributes.map(\.name))
            let federates = try body.bool("upgradeToFederatedLogin") ?? false
            let providers = try body.strings("provider")
            request.unsupported =
                (federates ? ["upgradeToFederatedLogin"] : []) + (providers.isEmpty ? [] : ["provider"])
                + names.filter { ["PROVIDER", "RAW_USER_INFO"].contains($0) }
            request.changes.deletedAttributes = names.compactMap { name in attributes.first { $0.name == name }?.attribute }
        }

        // Any value from a client means now, even "0" (`Docs/Contract/client-accounts.md` §9.1).
        private static func isTruthy(_ value: JSONValue?) -> Bool {
            switch value {
            case nil, .null, .bool(false), .string(""): false
            default: true
            }
        }

        private static func seconds(_ value: JSONValue?) throws -> Int64? {
            let number: Int64?
            switch value {
            case nil: return nil
            case .bool(let flag): return flag ? 1 : 0
            case .integer(let seconds): number = seconds
            case .string(let text): number = Int64(text)
            default: number = nil
            }
            guard let number, number >= 0 else {
                throw TransportError.wrongShape("/validSince", "must be a number of seconds")
            }
            guard Timestamp(seconds: number).isOfCalendar else {
                throw TransportError.wrongShape("/validSince", "must be within the years 1 to 9999")
            }
            return number
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#SetAccountInfoResponse"
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
        let result = try await update.apply(body.request, context: context)
        let account = result.view.account
        let tokens = result.tokens
        return Answer(
            localId: account.localID,
            email: account.email,
            displayName: account.displayName,
            photoUrl: account.photoURL,
            emailVerified: account.emailVerified,
            newEmail: result.newEmail,
            passwordHash: account.passwordHash.map { _ in AccountJSON.redactedPasswordHash },
            providerUserInfo: ProviderUserInfo.shown(of: result.view),
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresInText
        )
    }
}
