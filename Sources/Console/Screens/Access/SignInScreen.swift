import Accounts
import Project

/// Signs an operator in, with a passkey, or with a password and a code.
struct SignInScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/sign-in"
    var needs: AdminScopes? { nil }

    /// The address of the screen, from where an operator returns to another.
    static func link(backTo path: String) -> String { "\(Self.path)?\(AccessFields.back)=\(PercentEncoding.encode(path))" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        if visit.signedIn != nil { return .redirect(AccessFields.back(visit.query)) }
        return .page(try await page(visit, AccessFields.back(visit.query)))
    }

    private func page(_ visit: ConsoleVisit, _ back: String, error: OperatorError? = nil) async throws -> ConsolePage {
        let texts = visit.texts
        let forms = FactorForms(texts: texts, action: Self.path, hidden: [(name: AccessFields.back, value: back)])
        let passkey = forms.passkey(try await tools.console.signIn.passkeyOptions(), button: texts["signIn.passkey"])
        let password = forms.password([AccessFields.email(texts, visit.form["email"])], button: texts["signIn.button"])
        let blocks: [Block] = [.form(passkey), .details(summary: texts["signIn.password"], [.form(password)])]
        return .access(texts["signIn.title"], blocks, texts, refused: error)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, back) = (visit.form, AccessFields.back(visit.form))
        do {
            let factor = try OperatorFactor(form)
            let token = try await tools.console.signIn.signIn(factor, email: form["email"], from: visit.client)
            return .signedIn(token: token, path: back)
        } catch let error as OperatorError {
            return .refused(error, try await page(visit, back, error: error))
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
        try await tools.console.sessions.signOut(try visit.person)
        return .signedOut(path: SignInScreen.path)
    }
}
