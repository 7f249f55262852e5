import Accounts
import Project
import Storage

/// What operators do to a user: the use cases of the Admin API.
struct UserActions {
    let useCases: UseCases
    let view: AccountView
    let context: CallContext

    private var selection: AccountSelection { .localID(view.account.localID, context.scope) }

    func delete() async throws { try await useCases.accounts.deletion.delete(selection, context: context) }

    func setDisabled(_ isDisabled: Bool) async throws {
        var changes = AccountUpdate.Changes()
        changes.isDisabled = isDisabled
        try await update(changes)
    }

    func unlock() async throws { _ = try await useCases.operators.unlocking.unlock(view.account, context: context) }

    func endSession(_ id: String) async throws {
        _ = try await useCases.operators.sessionEnding.end(id, of: view.account.localID, context: context)
    }

    /// What can be taken from a user.
    enum Removal {
        case provider(String)
        case passkey(String)
        case secondFactors
        case sessions
    }

    func remove(_ what: Removal) async throws {
        var changes = AccountUpdate.Changes()
        switch what {
        case .provider(let id): changes.deletedProviders = [id]
        case .passkey(let id): changes.deletedPasskeys = [id]
        case .sessions: changes.validSince = .now
        case .secondFactors:
            var admin = AdminChanges()
            admin.enrollments = []
            changes.admin = admin
        }
        try await update(changes)
    }

    /// Sends the user a message with a code. The operator sees neither code nor link.
    func sendMail(_ kind: String) async throws {
        guard let type = OOBRequestType(rawValue: kind) else { throw ConsoleFailure.noSuchAction }
        var request = SendOOBCode.Request(type: type)
        request.email = view.account.email
        _ = try await useCases.codes.send.send(request, type: kind, context: context)
    }

    /// Changes the profile as the fields of the form say. What they leave as it was stays.
    ///
    /// A new address or number is a way in, so a factor is proven before.
    func edit(_ form: ConsoleForm, by person: ConsoleOperator) async throws {
        let account = view.account
        var request = RequestedUpdate.Request()
        request.localID = account.localID
        if let email = form.sent("email"), email != account.email ?? "" {
            try person.requireConfirmation()
            if email.isEmpty {
                request.changes.deletedAttributes.append(.email)
            } else {
                request.changes.email = email
            }
        }
        if account.email != nil || form.value("email") != nil { request.admin.emailVerified = form.isChecked("verified") }
        if let name = form.sent("name"), name != account.displayName ?? "" { request.changes.displayName = name }
        if let photo = form.sent("photo"), photo != account.photoURL ?? "" { request.changes.photoURL = photo }
        // Who does not see the number has an empty field, which changes nothing.
        if person.role.seesWholeNumbers, let phone = form.sent("phone"), phone != account.phoneNumber ?? "" {
            try person.requireConfirmation()
            if phone.isEmpty {
                request.changes.deletedProviders.append("phone")
            } else {
                request.admin.phoneNumber = phone
            }
        }
        _ = try await useCases.accounts.requestedUpdate.apply(request, context: context)
    }

    func setClaims(_ text: String) async throws {
        var request = RequestedUpdate.Request()
        request.localID = view.account.localID
        request.customAttributes = text.isEmpty ? "{}" : text
        _ = try await useCases.accounts.requestedUpdate.apply(request, context: context)
    }

    private func update(_ changes: AccountUpdate.Changes) async throws {
        _ = try await useCases.accounts.update.apply(changes, of: selection, context: context)
    }
}
