import Accounts
import HTTPAPI
import Project

/// The API's latest requests with their answers. In development only.
struct ExchangesScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/development/requests"
    // Bodies have passwords and tokens.
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    private static let shown = 50

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, latest) = (visit.texts, try tools.developerTools.journal.latest.prefix(Self.shown))
        var blocks: [Block] = [
            DevelopmentScreen.links(visit), .paragraph(texts["exchanges.text"]),
            .links([Link(text: texts["events.reload"], path: visit.link(Self.path))]),
        ]
        if latest.isEmpty { blocks.append(.paragraph(texts["exchanges.none"])) }
        blocks += latest.map { exchange in
            let line = "\(exchange.status) \(exchange.method) \(exchange.target) (\(exchange.milliseconds) ms)"
            return .details(
                summary: line,
                [
                    .facts([
                        Fact(label: texts["diagnosis.time"], value: .time(exchange.at)),
                        Fact(label: texts["error.requestID"], value: .code(exchange.requestID)),
                    ]), .code(label: texts["exchanges.request"], text: exchange.request),
                    .code(label: texts["exchanges.answer"], text: exchange.answer),
                ]
            )
        }
        return .page(ConsolePage(title: texts["development.requests"], section: .development, blocks: blocks))
    }
}
