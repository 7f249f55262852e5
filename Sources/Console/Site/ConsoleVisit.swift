import Accounts
import Project

/// A request for a page of the console, read and authenticated.
struct ConsoleVisit: Sendable {
    /// The path, without the query.
    let path: String
    /// The parts of the path that its template names.
    let parameters: [String: String]
    var query: ConsoleForm
    /// The fields of a posted form; empty otherwise.
    var form: ConsoleForm
    /// The request, of the whole project and of nobody yet.
    let client: CallContext
    let texts: ConsoleTexts
    /// The operator; `nil` on pages before a sign-in.
    var signedIn: ConsoleOperator?

    /// The operator.
    var person: ConsoleOperator {
        get throws {
            guard let signedIn else { throw OperatorError.signedOut }
            return signedIn
        }
    }

    /// A part of the path that its template names.
    subscript(parameter: String) -> String { parameters[parameter] ?? "" }

    /// The tenant that the operator looks at: the one of the form or the query, or the only one that the operator works in.
    var tenantID: String? {
        let named = form.value(Self.tenantField) ?? query.value(Self.tenantField)
        return named ?? signedIn?.tenantID
    }

    static let tenantField = "tenant"

    /// The call of a use case in the tenant that the operator looks at.
    func call(seesSecrets: Bool = false) throws -> CallContext {
        try person.call(in: tenantID, seesSecrets: seesSecrets)
    }

    /// The address of a page that stays in the tenant that the operator looks at.
    ///
    /// - Parameter query: The pairs of the query; those with an empty value are left out.
    func link(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
        let tenant = tenantID.map { [(name: Self.tenantField, value: $0)] } ?? []
        let pairs = (tenant + query).filter { !$0.value.isEmpty }
        return pairs.isEmpty ? path : "\(path)?\(PercentEncoding.form(pairs))"
    }

    /// The hidden field with which a form stays in the tenant.
    var tenantFields: [(name: String, value: String)] { tenantID.map { [(name: Self.tenantField, value: $0)] } ?? [] }

    /// Whether a dangerous form was confirmed. Without scripts the console asks on a page of its own.
    var isConfirmedAction: Bool { form.value(Form.confirmationField) == "yes" }
}

/// The pairs of a query or form.
struct ConsoleForm: Sendable {
    private let pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// The first value of a name; `nil` when it is missing or empty.
    func value(_ name: String) -> String? {
        pairs.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// The first value of a name, also an empty one; `nil` when the form does not have the field, which then changes nothing.
    func sent(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// The first value of a name; empty when it is missing.
    subscript(name: String) -> String { value(name) ?? "" }

    /// What the form asks for in its member `do`, which is one of the screen's actions.
    func action<Action: RawRepresentable<String>>(_: Action.Type) throws -> Action {
        guard let action = Action(rawValue: self["do"]) else { throw ConsoleFailure.noSuchAction }
        return action
    }

    /// Every value of a name.
    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Whether a box of the name is checked.
    func isChecked(_ name: String) -> Bool { value(name) != nil }

    /// All pairs in their order.
    var all: [(name: String, value: String)] { pairs }
}
