import Accounts

/// Actions that are hard to undo: a factor is proven within five minutes before, and the operator says so twice.
enum DangerousAction {
    /// Does an action, or asks first.
    static func perform(
        _ visit: ConsoleVisit,
        _ body: () async throws -> ConsoleAnswer
    ) async throws -> ConsoleAnswer {
        try visit.person.requireConfirmation()
        return try await asking(visit, body)
    }

    /// Does an action as ``perform(_:_:)``, which needs another operator's consent besides where the settings say so. The action uses the
    /// consent up.
    static func perform(
        _ visit: ConsoleVisit,
        _ approvals: OperatorApprovals,
        _ subject: OperatorApprovals.Subject,
        _ body: (OperatorConsent) async throws -> ConsoleAnswer
    ) async throws -> ConsoleAnswer {
        try await perform(visit) {
            try await body(try await approvals.consent(to: subject, by: try visit.person))
        }
    }

    /// Does an action that costs less, or asks first.
    static func asking(
        _ visit: ConsoleVisit,
        _ body: () async throws -> ConsoleAnswer
    ) async throws -> ConsoleAnswer {
        if visit.isConfirmedAction { return try await body() }
        let texts = visit.texts
        let kept = visit.form.all.filter { $0.name != Form.csrfField && $0.name != Form.confirmationField }
        let form = Form(
            action: visit.path,
            hidden: kept + [(name: Form.confirmationField, value: "yes")],
            button: texts["confirm.continue"],
            isDangerous: true
        )
        return .page(
            ConsolePage(
                title: texts["confirm.title"],
                blocks: [
                    .paragraph(texts["confirm.text"]), .form(form),
                    .links([Link(text: texts["confirm.cancel"], path: visit.link(visit.path))]),
                ]
            )
        )
    }
}
