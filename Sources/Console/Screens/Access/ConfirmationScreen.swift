import Accounts
import Project

/// Asks an operator to prove a factor again, before something that hurts.
struct ConfirmationScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/confirm"
    var needs: AdminScopes? { [] }

    /// The address of the screen, from where an operator returns to another.
    static func link(backTo path: String) -> String { "\(Self.path)?\(AccessFields.back)=\(PercentEncoding.encode(path))" }

    /// Leads to the screen from a page that has more to show after it.
    static func first(_ text: String, backTo path: String, _ texts: ConsoleTexts) -> [Block] {
        [.paragraph(text), .links([Link(text: texts["confirmation.title"], path: link(backTo: path))])]
    }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        .page(try await page(visit, AccessFields.back(visit.query)))
    }

    private func page(_ visit: ConsoleVisit, _ back: String, error: OperatorError? = nil) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let factors = try await tools.console.factors.all(of: person.operatorID, for: person)
        let forms = FactorForms(texts: texts, action: Self.path, hidden: [(name: AccessFields.back, value: back)])
        var blocks: [Block] = [.paragraph(texts["confirmation.text"])]
        if !factors.passkeys.isEmpty {
            let ceremony = try await tools.console.signIn.confirmationOptions(of: person)
            blocks.append(.form(forms.passkey(ceremony, button: texts["confirmation.passkey"])))
        }
        if factors.hasPassword { blocks.append(.form(forms.password(button: texts["confirmation.button"]))) }
        return .access(texts["confirmation.title"], blocks, texts, refused: error)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, back) = (try visit.person, AccessFields.back(visit.form))
        do {
            let token = try await tools.console.signIn.confirm(person, try OperatorFactor(visit.form))
            return .signedIn(token: token, path: back)
        } catch let error as OperatorError where error != .signedOut {
            return .refused(error, try await page(visit, back, error: error))
        }
    }
}
