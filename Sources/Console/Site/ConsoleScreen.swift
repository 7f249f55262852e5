import Accounts
import Project

/// A screen of the console: one path, shown by GET and acted on by POST. A screen holds no rule: it reads fields, calls a use case
/// and shows what came of it.
protocol ConsoleScreen: Sendable {
    /// The path below `/console`; `{name}` stands for one part.
    static var path: String { get }

    /// The scopes that a role needs to see it; `nil` for pages before a sign-in.
    var needs: AdminScopes? { get }

    /// Whether it concerns the whole project, so that operators of one tenant have nothing to do there.
    var isOfProject: Bool { get }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer

    /// Does what a form of the screen asks for.
    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer
}

extension ConsoleScreen {
    var isOfProject: Bool { false }

    func act(_: ConsoleVisit) async throws -> ConsoleAnswer { throw ConsoleFailure.noSuchAction }

    /// A form of one button, which asks the screen for an action, perhaps on something that it names.
    func button(
        _ text: String,
        _ action: String,
        _ named: [(name: String, value: String)] = [],
        isDangerous: Bool = false
    ) -> Form {
        Form(action: Self.path, hidden: [(name: "do", value: action)] + named, button: text, isDangerous: isDangerous)
    }
}
