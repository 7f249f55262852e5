import Accounts
import Project
import Storage

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
        let form = Form(
            action: Self.path,
            method: .get,
            fields: [AccessFields.email(texts)],
            hidden: [(name: Self.codeField, value: code)],
            button: texts["invitation.continue"]
        )
        return .access(texts["invitation.title"], [.paragraph(texts["invitation.first"]), .form(form)], texts)
    }

    private func page(
        _ visit: ConsoleVisit,
        _ code: String,
        _ email: String,
        _ pending: OperatorInvitationRecord,
        error: OperatorError? = nil
    ) async throws -> ConsolePage {
        let texts = visit.texts
        let hidden = [(name: Self.invitationField, value: code), (name: "email", value: email)]
        let forms = FactorForms(texts: texts, action: Self.path, hidden: hidden)
        let offer = try await tools.console.enrollment.offer(code: code, email: email)
        let blocks: [Block] = [
            AccessFields.facts(texts, email: email, role: pending.role, tenantID: pending.tenantID),
            .paragraph(texts["invitation.text"]), .form(forms.passkey(offer.passkey, button: texts["invitation.passkey"])),
            .details(summary: texts["invitation.password"], forms.newPassword(offer.app, button: texts["invitation.finish"])),
        ]
        return .access(texts["invitation.title"], blocks, texts, refused: error)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let form = visit.form
        let (code, email) = (form[Self.invitationField], form["email"])
        let pending = try await tools.console.invitations.pending(code: code)
        do {
            let factor = try NewOperatorFactor(form)
            let token = try await tools.console.enrollment.enroll(code: code, email: email, factor, from: visit.client)
            return .signedIn(token: token, path: ConsoleSite.root)
        } catch let error as OperatorError where error != .invitationEnded {
            return .refused(error, try await page(visit, code, pending.email ?? email, pending, error: error))
        }
    }
}
