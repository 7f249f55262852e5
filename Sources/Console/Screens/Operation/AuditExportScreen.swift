import Accounts
import Hummingbird
import Project
import Storage

/// The audit trail as a file, as `postern audit export` writes it: one JSON object a line.
struct AuditExportScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/audit/export"
    static let formatField = "format"
    var needs: AdminScopes? { .read }
    var isOfProject: Bool { true }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let person = try visit.person
        // The file has the project's records and those of every tenant.
        let projectID = try person.call(in: nil).scope.projectID
        let named = visit.query.value(Self.formatField)
        guard let format = named.map(AuditExport.Format.init(rawValue:)) ?? .jsonl else { throw ConsoleFailure.unknownPage }
        let lease = try tools.load.lease(.download, for: person)
        let export = AuditExport(database: tools.useCases.runtime.database, format: format)
        try await tools.useCases.operators.auditTrail.record(.auditExported, context: try visit.call())
        let body = ResponseBody { writer in
            var pieces = PieceWriter(lease)
            _ = try await export.export(projectID: projectID) { line in
                try await pieces.add(line.serialized() + [UInt8(ascii: "\n")], to: &writer)
            }
            try await pieces.finish(&writer)
        }
        return .file(name: "audit.jsonl", type: "application/x-ndjson", body)
    }
}
