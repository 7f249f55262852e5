import Accounts
import Foundation
import Project
import Settings
import Storage
import Tokens

/// The state of the service at a glance: what happened on each of the last days, and how it does now.
struct OverviewScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console"
    var needs: AdminScopes? { .read }

    private static let charts: [DailyCounts.Metric] = [
        .signIns, .refusals, .newUsers, .active, .refreshes, .mails, .smsSent, .smsRedeemed,
    ]

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, context) = (visit.texts, try visit.call())
        let span = Int(visit.query["days"]) ?? OverviewReader.spans[0]
        let overview = try await tools.useCases.operators.overview.read(span: span, tenantID: visit.tenantID, context: context)
        let links = OverviewReader.spans.map { days in
            Link(
                text: texts.text("days", ["count": "\(days)"]),
                path: visit.link(Self.path, [(name: "days", value: "\(days)")]),
                isCurrent: days == overview.days.count
            )
        }
        let labels = overview.days.map(Self.label)
        let charts = Self.charts.map { metric in
            Block.chart(
                Chart(
                    title: texts["overview.\(metric.rawValue)"],
                    labels: labels,
                    series: overview[metric].map { series in
                        .init(name: series.label.isEmpty ? texts["overview.all"] : series.label, values: series.values)
                    }
                )
            )
        }
        let columns = stride(from: 0, to: charts.count, by: 2).map {
            Block.columns(charts[$0..<min($0 + 2, charts.count)].map { [$0] })
        }
        return .page(
            ConsolePage(.overview, texts, [.links(links), .facts(try facts(texts))] + columns + (try await state(visit)))
        )
    }

    private func facts(_ texts: ConsoleTexts) throws -> [Fact] {
        let now = tools.environment.now()
        let signing = try tools.keyRing.current().kid
        let activated = tools.keyRing.published.first { $0.record.kid == signing }?.record.activatedAt
        let age = activated.map { (now.milliseconds - $0.milliseconds) / 86_400_000 } ?? 0
        return [
            Fact(label: texts["overview.version"], value: .code(Release.version)),
            Fact(label: texts["overview.mode"], value: .code(tools.settings.mode.rawValue)),
            Fact(label: texts["overview.keyAge"], value: .text(texts.text("days", ["count": "\(age)"]))),
        ]
    }

    // The service is one for all tenants, and an operator of one of them does not see how busy others make it.
    private func state(_ visit: ConsoleVisit) async throws -> [Block] {
        guard try visit.person.tenantID == nil else { return [] }
        let (texts, state) = (visit.texts, try await tools.useCases.operators.serviceState.read())
        func fact(_ name: String, _ value: String) -> Fact { Fact(label: texts["overview.state.\(name)"], value: .text(value)) }
        var facts = state.outboxes.map { fact("\($0.kind)", Cell.grouped(Int64($0.waiting))) }
        facts.append(fact("hashes", "\(state.hashes.running) + \(state.hashes.waiting)"))
        facts.append(fact("transactions", "\(state.transactions)"))
        let connections = state.pools.map { "\($0.kind) \($0.inUse)/\($0.size)" }
        if !connections.isEmpty { facts.append(fact("connections", connections.joined(separator: ", "))) }
        if let replication = state.replication {
            facts.append(fact("standbys", "\(replication.standbys)"))
            facts.append(fact("lag", "\(replication.lagMilliseconds) ms"))
        }
        return [.heading(texts["overview.state"]), .facts(facts)]
    }

    // A day as ISO 8601 has it.
    private static func label(_ day: Int64) -> String {
        String(Timestamp(milliseconds: day * 86_400_000).rfc3339.prefix(10))
    }
}
