import Accounts
import Project
import Settings
import Storage
import Tokens

/// The state of the service at a glance.
struct OverviewScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console"
    var needs: AdminScopes? { .read }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let texts = visit.texts
        _ = try visit.call()
        let now = tools.environment.now()
        let signing = try tools.keyRing.current().kid
        let activated = tools.keyRing.published.first { $0.record.kid == signing }?.record.activatedAt
        let age = activated.map { (now.milliseconds - $0.milliseconds) / 86_400_000 } ?? 0
        let facts = [
            Fact(label: texts["overview.version"], value: .code(Release.version)),
            Fact(label: texts["overview.mode"], value: .code(tools.settings.mode.rawValue)),
            Fact(label: texts["overview.keyAge"], value: .text(texts.text("days", ["count": "\(age)"]))),
        ]
        return .page(ConsolePage(title: texts["section.overview"], section: .overview, blocks: [.facts(facts)]))
    }
}
