import Accounts
import Project
import Storage

/// The audit trail, the latest record first.
struct AuditScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/audit"
    var needs: AdminScopes? { .read }

    private static let pageSize = 100
    // A whole trail may take long; an operator waits for so much of it.
    private static let verificationTime = Duration.seconds(10)

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, query, context) = (visit.texts, visit.query, try visit.call())
        let filter = AuditFilter(
            since: query.value("since").flatMap { Timestamp(rfc3339: $0 + "T00:00:00Z") },
            localID: query.value("user"),
            event: query.value("event"),
            limit: Self.pageSize
        )
        let (events, nextAfter) = try await tools.useCases.operators.auditTrail.events(
            filter,
            after: query.value("after"),
            in: context.scope
        )
        let kept = ["since", "user", "event"].compactMap { name in query.value(name).map { (name: name, value: $0) } }
        let next = nextAfter.map {
            Link(text: texts["table.next"], path: visit.link(Self.path, kept + [(name: "after", value: $0)]))
        }
        let search = Form(
            action: Self.path,
            method: .get,
            fields: [
                Field(name: "event", label: texts["audit.event"], value: query["event"], maximumLength: 64),
                Field(name: "user", label: texts["audit.user"], value: query["user"], maximumLength: 128, isCode: true),
                Field(name: "since", label: texts["audit.since"], kind: .date, value: query["since"]),
            ],
            hidden: visit.tenantFields,
            button: texts["audit.filter"],
            isInline: true
        )
        let blocks: [Block] = [.form(search), .table(EventTable.table(events, visit, next: next))]
        return .page(ConsolePage(.audit, texts, try ofProject(visit) + blocks))
    }

    // What concerns the whole trail, which a tenant's operators do not see.
    private func ofProject(_ visit: ConsoleVisit) throws -> [Block] {
        let texts = visit.texts
        guard try visit.person.tenantID == nil else { return [] }
        let files = [
            Link(text: texts["audit.export"], path: AuditExportScreen.path),
            Link(text: texts["audit.exportOCSF"], path: "\(AuditExportScreen.path)?\(AuditExportScreen.formatField)=ocsf"),
        ]
        return [.links(files), .toolbar([button(texts["audit.verify"], "verify")])]
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        guard visit.form["do"] == "verify" else { throw ConsoleFailure.noSuchAction }
        let (texts, person) = (visit.texts, try visit.person)
        let projectID = try person.call(in: nil).scope.projectID
        let findings = try await tools.load.holding(.work, for: person) {
            try await Deadline.ofEachTransaction {
                try await tools.auditVerification.verify(projectID: projectID, within: Self.verificationTime)
            }
        }
        var blocks: [Block] = [verdict(findings, texts), .table(table(findings, texts))]
        for finding in findings where !finding.faults.isEmpty {
            blocks += [.heading(name(of: finding)), .list(finding.faults.map(Cell.foreign))]
        }
        blocks.append(.links([Link(text: texts["section.audit"], path: visit.link(Self.path))]))
        return .page(ConsolePage(title: texts["audit.verified"], section: .audit, blocks: blocks))
    }

    private func verdict(_ findings: [AuditVerification.Finding], _ texts: ConsoleTexts) -> Block {
        if findings.contains(where: { !$0.faults.isEmpty }) {
            return .notice(Notice(kind: .error, text: texts["audit.faulty"]))
        }
        if findings.contains(where: \.isPartial) {
            return .notice(Notice(kind: .warning, text: texts["audit.partial"]))
        }
        return .notice(Notice(kind: .success, text: texts["audit.whole"]))
    }

    private func table(_ findings: [AuditVerification.Finding], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["audit.chains"],
            columns: ["chain", "records", "from", "to", "faults"].map { texts["audit.\($0)"] },
            rows: findings.map { finding in
                [
                    .code(name(of: finding)), .number(Int64(finding.records)), .number(finding.cutSeq + 1),
                    .number(finding.headSeq), .number(Int64(finding.faults.count + finding.moreFaults)),
                ]
            },
            emptyText: texts["audit.none"]
        )
    }

    private func name(of finding: AuditVerification.Finding) -> String {
        [finding.key.scope.tenantID, finding.key.recordClass].compactMap(\.self).joined(separator: "/")
    }
}
