import Accounts
import Hummingbird
import Project
import UserFiles

/// All users as a file, in the formats of `postern users export`.
struct ExportScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/exports"
    var needs: AdminScopes? { .read }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        _ = try visit.call()
        let formats = UserExportFormatName.allCases.map {
            Field.Option(text: texts["exports.format.\($0.rawValue)"], value: $0.rawValue)
        }
        let format = Field(name: "format", label: texts["imports.format"], kind: .select(formats))
        var blocks: [Block] = [
            .paragraph(texts[person.role.seesWholeNumbers ? "exports.text" : "exports.textWithoutNumbers"]),
            .form(Form(action: Self.path, fields: [format], hidden: visit.tenantFields, button: texts["exports.download"])),
        ]
        if person.role.scopes.isSuperset(of: .all) {
            blocks.append(
                .details(
                    summary: texts["exports.withHashes"],
                    [
                        .paragraph(texts["exports.hashesText"]),
                        .form(
                            Form(
                                action: Self.path,
                                fields: [format],
                                hidden: visit.tenantFields + [(name: "hashes", value: "yes")],
                                button: texts["exports.withHashes"],
                                isDangerous: true
                            )
                        ),
                    ]
                )
            )
        }
        return .page(ConsolePage(.exports, texts, blocks))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let person = try visit.person
        guard visit.form.isChecked("hashes") else { return try await file(visit, try visit.call(), withPasswords: false) }
        try person.require(.all)
        guard let format = UserExportFormatName(rawValue: visit.form["format"]) else { throw ConsoleFailure.noSuchAction }
        let subject = OperatorApprovals.Subject(.export, in: visit.tenantID, [(name: "format", value: format.rawValue)])
        return try await DangerousAction.perform(visit, tools.console.approvals, subject) { consent in
            try await file(visit, try visit.call(seesSecrets: true), withPasswords: true, consent)
        }
    }

    private func file(
        _ visit: ConsoleVisit,
        _ context: CallContext,
        withPasswords: Bool,
        _ consent: OperatorConsent? = nil
    ) async throws -> ConsoleAnswer {
        let person = try visit.person
        guard let format = UserExportFormatName(rawValue: visit.form["format"]) else { throw ConsoleFailure.noSuchAction }
        let lease = try tools.load.lease(.download, for: person)
        try await tools.useCases.operators.listing.recordExport(also: consent.map { $0.use(in:) }, context)
        let exporter = UserExporter(
            listing: tools.useCases.operators.listing,
            context: context,
            format: format,
            withPasswords: withPasswords,
            hidesNumbers: !person.role.seesWholeNumbers
        )
        let body = ResponseBody { writer in
            var pieces = PieceWriter(lease)
            _ = try await exporter.export { text, _ in try await pieces.add(text, to: &writer) }
            try await pieces.finish(&writer)
        }
        let isCSV = format == .csv
        return .file(name: isCSV ? "users.csv" : "users.json", type: isCSV ? "text/csv" : "application/json", body)
    }
}
