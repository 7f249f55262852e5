import Accounts
import Passwords
import Project
import Storage

/// `accounts:signInWithPassword` (`Docs/Contract/client-accounts.md` §2).
struct SignInWithPassword: Endpoint {
    static let summary = "Signs in with e-mail and password."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithPassword",
        legacyName: "verifyPassword"
    )

    let signIn: PasswordSignIn
    let mode: ModeRules

    struct Body: ProtoDecodable {
        let email: String?
        let password: String?
        let captcha: RecaptchaAnswer
        /// The members of the request that the emulator knows but does not implement.
        let unsupported: [String]

        init(_ body: ProtoObject) throws {
            email = try body.string("email")
            password = try body.password("password")
            captcha = try RecaptchaAnswer(body)
            let members = ["captchaResponse", "captchaChallenge", "idToken", "pendingIdToken"]
            unsupported = try members.filter { try body.text($0) != nil }
            try body.ignore(texts: ["instanceId"], booleans: ["returnSecureToken"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#VerifyPasswordResponse"
        var registered = true
        let localId: String
        let email: String?
        let displayName: String
        let profilePicture: String?
        let idToken: String?
        let refreshToken: String?
        let expiresIn: String?
        let mfaPendingCredential: String?
        let mfaInfo: [MFAInfoJSON]?
        let userNotifications: [Notification]?
    }

    /// A rule that the password violates while the policy does not force an upgrade (`Docs/Contract/admin-config.md` §5).
    struct Notification: Codable {
        let notificationCode: String
        let notificationMessage: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        // What is missing comes first, as with the emulator.
        if mode.refusesWhatEmulatorLacks, body.email != nil, body.password != nil, let member = body.unsupported.first {
            throw TransportError.lackedByEmulator(member)
        }
        let result = try await signIn.signIn(
            email: body.email,
            password: body.password,
            captcha: body.captcha,
            context: context
        )
        let account = result.accepted.account
        let (tokens, pending) = (result.accepted.issuedTokens, result.accepted.pendingJSON)
        let notifications = result.violations.map {
            Notification(notificationCode: $0.code, notificationMessage: $0.message)
        }
        return Answer(
            localId: account.localID,
            email: account.email,
            displayName: account.displayName ?? "",
            profilePicture: account.photoURL,
            idToken: tokens?.idToken,
            refreshToken: tokens?.refreshToken,
            expiresIn: tokens?.expiresInText,
            mfaPendingCredential: pending?.mfaPendingCredential,
            mfaInfo: pending?.mfaInfo,
            userNotifications: notifications.isEmpty ? nil : notifications
        )
    }
}
