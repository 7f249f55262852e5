import Accounts
import Messaging
import Project

/// The texts of e-mails, with a preview of each, and what the DNS says of the sender's domain.
struct TemplatesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/templates"
    static let section = ConsoleSection.templates
    var isOfProject: Bool { true }
    // Tenants have those of their project.
    static let tenant: [ConfigField] = []

    static let project = ["resetPassword", "verifyEmail", "changeEmail", "revertSecondFactorAddition"].flatMap { kind in
        let template = "notification.sendEmail.\(kind)Template."
        return [
            ConfigField(template + "senderDisplayName", "template.\(kind).sender"),
            ConfigField(template + "subject", "template.\(kind).subject"),
            ConfigField(template + "body", "template.\(kind).body"),
            ConfigField(template + "replyTo", "template.\(kind).replyTo"),
        ]
    }

    private static let selectorField = "selector"

    func blocks(_ visit: ConsoleVisit, _: JSONValue) async throws -> [Block] {
        let (texts, context) = (visit.texts, try visit.call())
        let links = EmailPurpose.allCases.map { purpose in
            Link(text: texts["templates.\(purpose.rawValue)"], path: visit.link(TemplateScreen.path(of: purpose)))
        }
        var blocks: [Block] = [.heading(texts["templates.previews"]), .links(links)]
        guard let domain = try await tools.useCases.codes.mailTest.senderDomain(context) else {
            return blocks + [.paragraph(texts["templates.noSender"])]
        }
        let form = Form(
            action: Self.path,
            method: .get,
            fields: [
                Field(
                    name: Self.selectorField,
                    label: texts["templates.selector"],
                    value: visit.query[Self.selectorField],
                    hint: texts["templates.selectorHint"],
                    maximumLength: 63,
                    isCode: true
                )
            ],
            hidden: visit.tenantFields + [(name: "look", value: "up")],
            button: texts["templates.lookUp"]
        )
        blocks += [
            .heading(texts["templates.domain"]), .facts([Fact(label: texts["templates.sender"], value: .code(domain))]),
            .form(form),
        ]
        guard visit.query.value("look") != nil else { return blocks }
        let selector = visit.query.value(Self.selectorField)
        let findings = try await tools.load.holding(.work, for: visit.person) {
            await SenderDomain(lookUp: tools.textRecords).findings(domain, selector: selector)
        }
        return blocks + [.table(table(findings, texts))]
    }

    private func table(_ findings: [SenderDomain.Finding], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["templates.domain"],
            columns: ["kind", "name", "verdict", "records"].map { texts["templates.\($0)"] },
            rows: findings.map { finding in
                let tone: Cell.Tone =
                    switch finding.verdict {
                    case .good: .positive
                    case .weak, .unknown: .caution
                    case .missing, .unusable: .negative
                    }
                return [
                    .text(finding.kind.rawValue.uppercased()), .code(finding.name),
                    .badge(text: texts["templates.verdict.\(finding.verdict.rawValue)"], tone: tone),
                    finding.records.isEmpty ? .none : .several(finding.records.map(Cell.code)),
                ]
            },
            emptyText: texts["templates.noDomain"]
        )
    }
}
