import Accounts
import Project
import Storage

/// Why did this sign-in fail? The refusals of the audit trail, in words, with what the client got.
struct DiagnosisScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/diagnosis"
    var needs: AdminScopes? { .read }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, query, context) = (visit.texts, visit.query, try visit.call())
        var question = RefusalFinder.Question()
        question.requestID = query.value("request")
        question.localID = query.value("user")
        question.address = query.value("address")
        question.since = query.value("since").flatMap { Timestamp(rfc3339: $0 + "T00:00:00Z") }
        let (found, isCut) = try await tools.useCases.operators.refusals.find(question, in: context.scope)
        func field(_ name: String, _ kind: Field.Kind = .text, isCode: Bool = true) -> Field {
            Field(
                name: name,
                label: texts["diagnosis.\(name)"],
                kind: kind,
                value: query[name],
                maximumLength: 256,
                isCode: isCode
            )
        }
        var blocks: [Block] = [
            .paragraph(texts["diagnosis.text"]),
            .form(
                Form(
                    action: Self.path,
                    method: .get,
                    fields: [field("request"), field("user"), field("address"), field("since", .date, isCode: false)],
                    hidden: visit.tenantFields,
                    button: texts["diagnosis.search"],
                    isInline: true
                )
            ), .table(table(found, visit)),
        ]
        if isCut {
            let text = texts.text("diagnosis.cut", ["count": Cell.grouped(Int64(RefusalFinder.mostExamined))])
            blocks.append(.notice(Notice(kind: .information, text: text)))
        }
        return .page(ConsolePage(.signInDiagnosis, texts, blocks))
    }

    // The user who was refused, and the one who has what was to be linked.
    private static func accounts(of event: AuditEvent, _ visit: ConsoleVisit) -> [Cell] {
        guard let localID = event.localID else { return [] }
        let user = Cell.link(text: localID, path: visit.link(UserScreen.path(of: localID)))
        return [user] + (ComparisonScreen.link(event, visit).map { [.link(text: $0.text, path: $0.path)] } ?? [])
    }

    private func table(_ found: [AuditEvent], _ visit: ConsoleVisit) -> Table {
        let texts = visit.texts
        return Table(
            caption: texts["diagnosis.refusals"],
            columns: ["time", "explanation", "answer", "provider", "user", "address", "request"].map { texts["diagnosis.\($0)"] },
            rows: found.map { event in
                let code = event.detail?["code"]?.string ?? ""
                return [
                    .time(event.occurredAt), .several(RefusalWords.steps(event, texts).map(Cell.text)), .code(code),
                    event.detail?["provider"]?.string.map(Cell.foreign) ?? .none,
                    .several(Self.accounts(of: event, visit)),
                    event.address.map(Cell.code) ?? .none, event.detail?["requestId"]?.string.map(Cell.code) ?? .none,
                ]
            },
            emptyText: texts["diagnosis.none"]
        )
    }
}

enum RefusalWords {
    /// What the sign-in got past, one line for each step, and why it ended there.
    static func steps(_ event: AuditEvent, _ texts: ConsoleTexts) -> [String] {
        let passed = (event.detail?["steps"]?.array ?? []).compactMap { $0.string.flatMap(SignInStep.init(rawValue:)) }
        let reason = explanation(event.detail?["code"]?.string ?? "", texts)
        return passed.map { "✓ " + texts["diagnosis.step.\($0.rawValue)"] } + ["✗ " + reason]
    }

    /// What a code means, for support agents.
    static func explanation(_ code: String, _ texts: ConsoleTexts) -> String {
        // A code may have details behind it: `INVALID_IDP_RESPONSE : …`.
        let name = String(decoding: code.utf8.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        let key = "apiError.\(name)"
        let text = texts[key]
        return text == key ? texts["diagnosis.unexplained"] : text
    }
}
