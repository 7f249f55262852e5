import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Project
import UserFiles

/// Imports users from a text that is pasted, or with scripts from a file: the formats and checks of `postern users import`.
struct ImportScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/imports"
    var needs: AdminScopes? { .edit }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        _ = try visit.call()
        let texts = visit.texts
        var blocks: [Block] = [.paragraph(texts["imports.text"])]
        if try !visit.person.isConfirmed {
            // What was pasted is lost on the way there and back.
            blocks += ConfirmationScreen.first(texts["imports.confirmFirst"], backTo: visit.link(Self.path), texts)
        }
        return .page(ConsolePage(.imports, texts, blocks + [.form(form(visit))]))
    }

    private func form(_ visit: ConsoleVisit) -> Form {
        let texts = visit.texts
        let formats = UserFileFormatName.allCases.map {
            Field.Option(text: texts["imports.format.\($0.rawValue)"], value: $0.rawValue)
        }
        var form = Form(
            action: Self.path,
            fields: [
                Field(name: "format", label: texts["imports.format"], kind: .select(formats)),
                Field(
                    name: "users",
                    label: texts["imports.users"],
                    kind: .textArea(rows: 8),
                    hint: texts["imports.usersHint"],
                    isCode: true
                ),
                Field(
                    name: "hashes",
                    label: texts["imports.hashes"],
                    kind: .textArea(rows: 4),
                    hint: texts["imports.hashesHint"],
                    autocomplete: "off",
                    isCode: true
                ),
                Field(
                    name: "probeEmail",
                    label: texts["imports.probeEmail"],
                    kind: .email,
                    hint: texts["imports.probeHint"],
                    autocomplete: "off",
                    maximumLength: 256
                ),
                Field(name: "probe", label: texts["imports.probe"], kind: .password, autocomplete: "off"),
                Field(name: "dryRun", label: texts["imports.dryRun"], kind: .checkbox, value: "on"),
                Field(
                    name: "overwrite",
                    label: texts["imports.overwrite"],
                    kind: .checkbox,
                    hint: texts["imports.overwriteHint"]
                ),
                Field(
                    name: "overwriteAll",
                    label: texts["imports.overwriteAll"],
                    kind: .checkbox,
                    hint: texts["imports.overwriteAllHint"]
                ),
            ],
            hidden: visit.tenantFields,
            button: texts["imports.import"]
        )
        form.upload = Form.Upload(
            path: visit.link(ImportUploadScreen.path),
            label: texts["imports.file"],
            sending: texts["imports.sending"],
            failed: texts["imports.failed"]
        )
        return form
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, form) = (try visit.person, visit.form)
        var job = try job(visit, person)
        // Rows bring claims, which are rights, and passwords that somebody knows.
        if !job.importer.isDryRun { try person.requireConfirmation() }
        guard form.value("upload") != nil || form.value("users") != nil else {
            throw InvalidArgument(visit.texts["imports.missing"])
        }
        // Reading what the form says of hashes costs something, so the lease comes first.
        let lease = try tools.load.lease(.work, for: person)
        try readHashes(into: &job, visit)
        if let upload = form.value("upload") {
            // Where the client has gone before the answer begins, nothing refers to the file any more, and it is gone, too.
            return try await follow(job, try await tools.uploads.take(upload, by: person), lease, visit)
        }
        let file = try await tools.uploads.file(of: form["users"])
        try await requireConsent(job, file, visit)
        let outcome = try await job.importFile(file) { _, _ in try await lease.check() }
        let report = ImportReportView(outcome: outcome, isDryRun: job.importer.isDryRun, texts: visit.texts)
        let back = Link(text: visit.texts["section.imports"], path: visit.link(Self.path))
        return .page(
            ConsolePage(title: visit.texts["imports.done"], section: .imports, blocks: report.blocks + [.links([back])])
        )
    }

    private func job(_ visit: ConsoleVisit, _ person: ConsoleOperator) throws -> UserImportJob {
        let form = visit.form
        var job = UserImportJob(
            importing: tools.useCases.operators.accountImport,
            context: try visit.call(),
            now: tools.environment.now()
        )
        guard let format = UserFileFormatName(rawValue: form["format"]) else { throw ConsoleFailure.noSuchAction }
        job.format = format
        job.importer.isDryRun = form.isChecked("dryRun")
        if form.isChecked("overwrite") { job.importer.overwriting = .changed }
        if form.isChecked("overwriteAll") { job.importer.overwriting = .all }
        job.importer.rights = UserImporter.Rights(
            allowsCostlyHashes: person.tenantID == nil && person.role.scopes.isSuperset(of: .config),
            allowsPhoneNumbers: person.role.seesWholeNumbers
        )
        if let email = form.value("probeEmail") { job.probe = (email, form["probe"]) }
        return job
    }

    private func readHashes(into job: inout UserImportJob, _ visit: ConsoleVisit) throws {
        guard let text = visit.form.value("hashes") else { return }
        let parameters = text.utf8.count > HashConfig.maximumBytes ? [:] : HashConfig.parse(text)
        if parameters.isEmpty { throw InvalidArgument(visit.texts["imports.noHashes"]) }
        job.importer.hashParameters = .object(parameters)
    }

    // An import that replaces accounts needs consent as their deletion does. The consent is for this file and these hash parameters, which have
    // keys and are shown to the other operator by their digest only.
    private func requireConsent(_ job: UserImportJob, _ file: FileHandle, _ visit: ConsoleVisit) async throws {
        guard job.replacesAccounts, tools.console.approvals.isRequired else { return }
        let parts = [
            (name: "import", value: job.format.rawValue),
            (name: "overwrite", value: job.importer.overwriting == .all ? "all" : "on"),
            (name: "sha256", value: hexadecimal(try await UserFile.digest(of: file))),
            (name: "hashes", value: visit.form.value("hashes").map { hexadecimal(sha256($0.utf8)) } ?? ""),
        ]
        let subject = OperatorApprovals.Subject(.deletion, in: visit.tenantID, parts)
        // The import has many transactions, and another run passes over what is there. It uses the consent up as it begins.
        try await tools.console.approvals.consent(to: subject, by: try visit.person).use()
    }

    /// Imports a file that was sent before, and tells the script how far it is: a JSON object a line, the last one with the report.
    ///
    /// Where the connection or the operator's session ends, so does the import. What was imported stays, and another run passes over it.
    private func follow(
        _ job: UserImportJob,
        _ file: FileHandle,
        _ lease: ConsoleLoad.Lease,
        _ visit: ConsoleVisit
    ) async throws -> ConsoleAnswer {
        try await requireConsent(job, file, visit)
        let body = ResponseBody { [tools] writer in
            do {
                let outcome = try await Self.importFile(job, file, visit.texts, lease, &writer)
                let report = ImportReportView(outcome: outcome, isDryRun: job.importer.isDryRun, texts: visit.texts)
                try await Self.write(report.json, &writer)
            } catch {
                // The head of the answer is sent, so a line tells what the page of the error would.
                try await Self.write(Self.told(error, visit, tools), &writer)
            }
            try await writer.finish(nil)
        }
        var headers = ConsoleRenderer.headers
        headers[.contentType] = "application/x-ndjson"
        return .response(Response(status: .ok, headers: headers, body: body))
    }

    private static func importFile(
        _ job: UserImportJob,
        _ file: FileHandle,
        _ texts: ConsoleTexts,
        _ lease: ConsoleLoad.Lease,
        _ writer: inout any ResponseBodyWriter
    ) async throws -> UserImportJob.Outcome {
        try await job.importFile(file) { counts, share in
            try await lease.check()
            let text = texts.text("imports.read", ["count": Cell.grouped(Int64(counts.rows))])
            try await write(["share": .number(share ?? 0), "text": .string(text)], &writer)
        }
    }

    private static func write(_ line: JSONValue, _ writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(string: line.text + "\n"))
    }

    private static func told(_ error: any Error, _ visit: ConsoleVisit, _ tools: ConsoleTools) -> JSONValue {
        let (page, _, isUnexpected) = ConsolePage.failure(error, visit)
        if isUnexpected { tools.logger.failure("import failed", error) }
        var items: [JSONValue] = []
        for case .notice(let notice) in page.blocks { items += ([notice.text] + notice.items).map(JSONValue.string) }
        return ["items": .array(items), "failed": true]
    }
}
