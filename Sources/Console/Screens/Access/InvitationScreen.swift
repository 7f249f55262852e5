import Accounts
import Project
import WebAuthn

/// Where an invitation leads: a passkey, or a password with an authenticator app, makes its holder an operator.
struct InvitationScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/invitation"
    var needs: AdminScopes? { nil }

    private static let codeField = "code"
    private static let invitationField = "invitation"

    /// The link of an invitation.
    static func link(code: String, url: String) -> String { "\(url)\(path)?\(codeField)=\(code)" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let code = visit.query[Self.codeField]
        let pending = try await tools.console.invitations.pending(code: code)
        guard let email = pending.email ?? visit.query.value("email") else { return .page(askForAddress(visit, code)) }
        return .page(try await page(visit, code, email, pending))
    }

    // The first operator says the address before a passkey is made for it.
    private func askForAddress(_ visit: ConsoleVisit, _ code: String) -> ConsolePage {
        let texts = visit.texts
        return ConsolePage(
            title: texts["invitation.title"],
            blocks: [
                .paragraph(texts["invitation.first"]),
                .form(
                    Form(
                        action: Self.path,
                        method: .get,
                        fields: [AccessFields.email(texts)],
                        hidden: [(name: Self.codeField, value: code)],
                        button: texts["invitation.continue"]
                    )
                ),
            ],
            isNarrow: true
        )
    }

    private func page(
        _ visit: ConsoleVisit,
        _ code: String,
        _ email: String,
        _ pending: OperatorInvitations.Pending,
        error: OperatorError? = nil
    ) async throws -> ConsolePage {
        let (texts, enrollment) = (visit.texts, tools.console.enrollment)
        let hidden = [(name: Self.invitationField, value: code), (name: "email", value: email)]
        let passkey = Form(
            action: Self.path,
            fields: [AccessFields.passkeyName(texts)],
            hidden: hidden + [(name: AccessFields.way, value: "passkey")],
            button: texts["invitation.passkey"],
            passkey: Form.Passkey(try await enrollment.passkeyOptions(code: code, email: email))
        )
        let offer = try await enrollment.totpOffer(code: code, email: email)
        var page = ConsolePage(
            title: texts["invitation.title"],
            blocks: [
                .facts([
                    Fact(label: texts["access.email"], value: .foreign(email)),
                    Fact(label: texts["operators.role"], value: .text(texts["role.\(pending.role.rawValue)"])),
                    Fact(label: texts["tenants.one"], value: pending.tenantID.map(Cell.code) ?? .text(texts["tenants.all"])),
                ]),
                .paragraph(texts["invitation.text"]), .form(passkey),
                .details(
                    summary: texts["invitation.password"],
                    PasswordSetup.blocks(texts, offer, action: Self.path, hidden: hidden, button: texts["invitation.finish"])
                ),
            ],
            isNarrow: true
        )
        if let error {
            let (key, values) = error.text
            page.notice = Notice(kind: .error, text: texts.text(key, values))
        }
        return page
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, enrollment) = (visit.form, tools.console.enrollment)
        let (code, email) = (form[Self.invitationField], form["email"])
        let pending = try await tools.console.invitations.pending(code: code)
        do {
            let token =
                if form[AccessFields.way] == "passkey" {
                    try await enrollment.enroll(
                        code: code,
                        email: email,
                        try AuthenticatorResponse(form),
                        name: form["name"],
                        from: visit.client
                    )
                } else {
                    try await enrollment.enroll(
                        code: code,
                        email: email,
                        password: form["password"],
                        totpCode: form["code"],
                        offer: form[PasswordSetup.offerField],
                        from: visit.client
                    )
                }
            return .signedIn(token: token, path: ConsoleSite.root)
        } catch let error as OperatorError where error != .invitationEnded {
            return .refused(error, try await page(visit, code, pending.email ?? email, pending, error: error))
        }
    }
}

/// The part of a page that sets up a password with an authenticator app.
enum PasswordSetup {
    static let offerField = "offer"

    static func blocks(
        _ texts: ConsoleTexts,
        _ offer: OperatorPassword.Offer,
        action: String,
        hidden: [(name: String, value: String)],
        button: String
    ) -> [Block] {
        [
            .paragraph(texts["access.appText"]), .code(label: texts["access.secret"], text: offer.secret),
            .code(label: texts["access.secretLink"], text: offer.uri),
            .form(
                Form(
                    action: action,
                    fields: [AccessFields.password(texts, isNew: true), AccessFields.code(texts)],
                    hidden: hidden + [(name: offerField, value: offer.sealed), (name: AccessFields.way, value: "password")],
                    button: button
                )
            ),
        ]
    }
}
