import Accounts
import Project
import Storage

struct NewUserScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users/new"
    var needs: AdminScopes? { .edit }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let texts = visit.texts
        let form = Form(
            action: Self.path,
            fields: [
                Field(name: "email", label: texts["users.email"], kind: .email, autocomplete: "off", maximumLength: 256),
                Field(name: "verified", label: texts["user.emailVerified"], kind: .checkbox),
                Field(
                    name: "password",
                    label: texts["access.password"],
                    kind: .password,
                    hint: texts["user.passwordHint"],
                    autocomplete: "new-password"
                ), Field(name: "name", label: texts["users.name"], maximumLength: 256),
                Field(name: "phone", label: texts["users.phone"], hint: texts["user.phoneHint"], isCode: true),
                Field(name: "id", label: texts["user.id"], hint: texts["user.idHint"], maximumLength: 128, isCode: true),
            ],
            hidden: visit.tenantFields,
            button: texts["users.create"]
        )
        return .page(ConsolePage(title: texts["users.create"], section: .users, blocks: [.form(form)]))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (context, form) = (try visit.call(), visit.form)
        var request = AccountCreation.Request()
        request.localID = form.value("id")
        request.email = form.value("email")
        request.emailVerified = form.value("email") == nil ? nil : form.isChecked("verified")
        request.password = form.value("password")
        request.displayName = form.value("name")
        request.phoneNumber = form.value("phone")
        // The refusal of a number tells that another user has it.
        if request.phoneNumber != nil { try await tools.console.limits.numberSearch(by: try visit.person) }
        let account = try await tools.useCases.operators.creation.create(request, context: context)
        return .redirect(visit.link(UserScreen.path(of: account.localID)), done: "saved")
    }
}
