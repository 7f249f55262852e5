import Accounts
import Project
import WebAuthn

/// Asks an operator to prove a factor again, before something that hurts.
struct ConfirmationScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/confirm"
    var needs: AdminScopes? { [] }

    /// The address of the screen, from where an operator returns to another.
    static func link(backTo path: String) -> String { "\(Self.path)?\(AccessFields.back)=\(PercentEncoding.encode(path))" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        .page(try await page(visit, AccessFields.back(visit.query)))
    }

    private func page(_ visit: ConsoleVisit, _ back: String, error: OperatorError? = nil) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let factors = try await tools.console.factors.all(of: person.operatorID, for: person)
        let hidden = [(name: AccessFields.back, value: back)]
        var blocks: [Block] = [.paragraph(texts["confirmation.text"])]
        if !factors.passkeys.isEmpty {
            blocks.append(
                .form(
                    Form(
                        action: Self.path,
                        hidden: hidden + [(name: AccessFields.way, value: "passkey")],
                        button: texts["confirmation.passkey"],
                        passkey: Form.Passkey(try await tools.console.signIn.confirmationOptions(of: person))
                    )
                )
            )
        }
        if factors.hasPassword {
            blocks.append(
                .form(
                    Form(
                        action: Self.path,
                        fields: [AccessFields.password(texts), AccessFields.code(texts)],
                        hidden: hidden + [(name: AccessFields.way, value: "password")],
                        button: texts["confirmation.button"]
                    )
                )
            )
        }
        var page = ConsolePage(title: texts["confirmation.title"], blocks: blocks, isNarrow: true)
        if let error {
            let (key, values) = error.text
            page.notice = Notice(kind: .error, text: texts.text(key, values))
        }
        return page
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person, signIn) = (visit.form, try visit.person, tools.console.signIn)
        let back = AccessFields.back(form)
        do {
            let token =
                if form[AccessFields.way] == "passkey" {
                    try await signIn.confirm(person, try AuthenticatorResponse(form), from: visit.client)
                } else {
                    try await signIn.confirm(person, password: form["password"], code: form["code"], from: visit.client)
                }
            return .signedIn(token: token, path: back)
        } catch let error as OperatorError where error != .signedOut {
            return .refused(error, try await page(visit, back, error: error))
        }
    }
}
