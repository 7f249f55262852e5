import Accounts
import Project
import WebAuthn

/// Signs an operator in, with a passkey, or with a password and a code.
struct SignInScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/sign-in"
    var needs: AdminScopes? { nil }

    /// The address of the screen, from where an operator returns to another.
    static func link(backTo path: String) -> String { "\(Self.path)?\(AccessFields.back)=\(PercentEncoding.encode(path))" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        if visit.signedIn != nil { return .redirect(AccessFields.back(visit.query)) }
        return .page(try page(visit, AccessFields.back(visit.query)))
    }

    private func page(_ visit: ConsoleVisit, _ back: String, error: OperatorError? = nil) throws -> ConsolePage {
        let texts = visit.texts
        let hidden = [(name: AccessFields.back, value: back)]
        let passkey = Form(
            action: Self.path,
            hidden: hidden + [(name: AccessFields.way, value: "passkey")],
            button: texts["signIn.passkey"],
            passkey: Form.Passkey(try tools.console.signIn.passkeyOptions())
        )
        let password = Form(
            action: Self.path,
            fields: [
                AccessFields.email(texts, visit.form["email"]), AccessFields.password(texts), AccessFields.code(texts),
            ],
            hidden: hidden + [(name: AccessFields.way, value: "password")],
            button: texts["signIn.button"]
        )
        var page = ConsolePage(
            title: texts["signIn.title"],
            blocks: [.form(passkey), .details(summary: texts["signIn.password"], [.form(password)])],
            isNarrow: true
        )
        if let error {
            let (key, values) = error.text
            page.notice = Notice(kind: .error, text: texts.text(key, values))
        }
        return page
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, signIn) = (visit.form, tools.console.signIn)
        let back = AccessFields.back(form)
        do {
            let token =
                if form[AccessFields.way] == "passkey" {
                    try await signIn.signIn(try AuthenticatorResponse(form), from: visit.client)
                } else {
                    try await signIn.signIn(
                        email: form["email"],
                        password: form["password"],
                        code: form["code"],
                        from: visit.client
                    )
                }
            return .signedIn(token: token, path: back)
        } catch let error as OperatorError {
            return .refused(error, try page(visit, back, error: error))
        }
    }
}

/// Ends the session of this browser.
struct SignOutScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/sign-out"
    var needs: AdminScopes? { [] }

    func show(_: ConsoleVisit) async throws -> ConsoleAnswer { .redirect(ConsoleSite.root) }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try await tools.console.sessions.signOut(try visit.person, from: visit.client)
        return .signedOut(path: SignInScreen.path)
    }
}
