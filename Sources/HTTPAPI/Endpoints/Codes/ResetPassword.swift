import Accounts
import Project
import Storage

/// `accounts:resetPassword`: reads one-time codes, and sets new passwords with them (`Docs/Contract/client-accounts.md` §11).
struct ResetPassword: Endpoint {
    static let summary = "Looks at a one-time code, or sets a new password by one."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:resetPassword",
        legacyName: "resetPassword",
        projectPath: "accounts:resetPassword"
    )

    let reset: PasswordReset

    struct Body: ProtoDecodable {
        let code: String?
        let newPassword: String?

        init(_ body: ProtoObject) throws {
            code = try body.text("oobCode")
            newPassword = try body.password("newPassword")
            try body.ignore(texts: ["email", "oldPassword"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#ResetPasswordResponse"
        let requestType: String
        let email: String?
        let newEmail: String?
        let mfaInfo: MFAInfoJSON?
        /// What a reset removed besides the password. Firebase does not have this member.
        let removed: [String]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let info = try await reset.reset(body.code, newPassword: body.newPassword, context: context)
        return Answer(
            requestType: info.type.rawValue,
            // The user of a sign-in link must supply the address, so the answer does not reveal it.
            email: info.type == .emailSignIn ? nil : info.email,
            newEmail: info.newEmail,
            mfaInfo: info.secondFactor.map { MFAInfoJSON($0, isObfuscated: true) },
            removed: info.removed.isEmpty ? nil : info.removed
        )
    }
}
