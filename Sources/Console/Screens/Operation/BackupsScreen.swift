import Accounts
import Foundation
import Hummingbird
import NIOCore
import Project

/// Backups of an SQLite database. For PostgreSQL it says what to do.
struct BackupsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/backups"
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    private static let pieceBytes = 256 * 1024

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        // A backup has the whole project.
        _ = try person.call(in: nil)
        guard let directory = tools.backups.directory else {
            return page(visit, [.paragraph(texts["backups.postgresql"])])
        }
        let backups = try tools.backups.all()
        let table = Table(
            caption: texts["section.backups"],
            columns: ["name", "made", "bytes", "actions"].map { texts["backups.\($0)"] },
            rows: backups.map { backup in
                [
                    .code(backup.name), .time(backup.madeAt), .number(backup.bytes), .forms(forms(backup, visit, person)),
                ]
            },
            emptyText: texts["backups.none"]
        )
        return page(
            visit,
            [
                .paragraph(texts["backups.text"]),
                .facts([
                    Fact(label: texts["backups.directory"], value: .code(directory)),
                    Fact(
                        label: texts["backups.recipient"],
                        value: tools.backups.recipient.map(Cell.code) ?? .text(texts["backups.plain"])
                    ),
                ]),
                .toolbar([form("make", texts["backups.make"])]), .table(table),
            ]
        )
    }

    private func page(_ visit: ConsoleVisit, _ blocks: [Block]) -> ConsoleAnswer {
        .page(ConsolePage(.backups, visit.texts, blocks))
    }

    private func forms(_ backup: ConsoleBackup, _ visit: ConsoleVisit, _ person: ConsoleOperator) -> [Form] {
        let texts = visit.texts
        var forms = backup.isSealed ? [] : [form("verify", texts["backups.verify"], backup.name)]
        if person.role == .owner {
            forms += [
                form("download", texts["exports.download"], backup.name),
                form("remove", texts["profile.remove"], backup.name, isDangerous: true),
            ]
        }
        return forms
    }

    private func form(_ action: String, _ text: String, _ name: String = "", isDangerous: Bool = false) -> Form {
        let fields = [(name: "do", value: action)] + (name.isEmpty ? [] : [(name: "name", value: name)])
        return Form(action: Self.path, hidden: fields, button: text, isDangerous: isDangerous)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, name) = (try visit.person, visit.form["name"])
        let context = try person.call(in: nil)
        do {
            switch visit.form["do"] {
            case "make":
                _ = try await tools.load.holding(.work, for: person) { try await tools.backups.make(context) }
                return .redirect(Self.path, done: "made")
            case "verify":
                try await tools.load.holding(.work, for: person) { try await tools.backups.verify(name) }
                return .redirect(Self.path, done: "verified")
            case "download":
                guard person.role == .owner else { throw OperatorError.notAllowed }
                guard try tools.backups.all().contains(where: { bytesEqual($0.name, name) }) else {
                    throw ConsoleBackupRefused("there is no such backup")
                }
                let subject = OperatorApprovals.Subject(.export, in: nil, [(name: "backup", value: name)])
                return try await DangerousAction.perform(visit, tools.console.approvals, subject) { consent in
                    try await download(name, context, person, consent)
                }
            case "remove":
                guard person.role == .owner else { throw OperatorError.notAllowed }
                return try await DangerousAction.perform(visit) {
                    try await tools.backups.remove(name, context)
                    return .redirect(Self.path, done: "deleted")
                }
            default: throw ConsoleFailure.noSuchAction
            }
        } catch let refusal as ConsoleBackupRefused {
            throw InvalidArgument(refusal.reason)
        }
    }

    private func download(
        _ name: String,
        _ context: CallContext,
        _ person: ConsoleOperator,
        _ consent: OperatorConsent
    ) async throws -> ConsoleAnswer {
        let lease = try tools.load.lease(.download, for: person)
        let (file, bytes) = try await tools.backups.open(name, also: consent.use(in:), context)
        let body = ResponseBody(contentLength: Int(bytes)) { writer in
            while let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty {
                try await lease.check()
                try await lease.sending { try await writer.write(ByteBuffer(bytes: piece)) }
            }
            try await writer.finish(nil)
        }
        let isPlain = name.hasSuffix(".sqlite")
        return .file(name: name, type: isPlain ? "application/vnd.sqlite3" : "application/octet-stream", body)
    }
}
