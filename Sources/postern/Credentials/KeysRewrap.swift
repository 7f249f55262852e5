import Accounts
import ArgumentParser
import Project
import Server
import Settings
import Storage
import Tokens

extension Keys {
    /// `postern keys rewrap`.
    struct Rewrap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal everything in the store under the new master key, while servers run.",
            discussion: """
                The settings have the new key as secrets.masterKey and the old one as secrets.previousMasterKey, here and on every node. \
                The command may be ended and begun again. Afterwards the old key opens nothing in the store.
                """
        )

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await CommandStore.withDatabase(config) { database, environment, settings in
                let keys = try StoreKeys(settings, of: database, environment: environment)
                let sealer = keys.sealer
                guard sealer.hasPreviousKey else {
                    throw CommandFailure("secrets.previousMasterKey is not set: it is the key that is to be replaced")
                }
                let bar = ProgressLine()
                defer { bar.end() }
                let rotation = MasterKeyRotation(database: database, sealer: sealer, environment: environment)
                let context = CallContext.commandLine(projectID: settings.project.id, tenant: nil)
                let columns = try await rotation.rewrap(context: context) { column, rows in
                    bar.show(nil, "\(column.table): \(rows) rows looked at")
                }
                bar.end()
                let resealing = AuditResealing(database: database, signer: keys.auditSigner, now: environment.now)
                let unsigned = try await resealing.reseal()
                show(columns)
                let unreadable = columns.reduce(0) { $0 + $1.counts.unreadable }
                if unsigned > 0 {
                    throw CommandFailure(
                        "\(unsigned) chains of the audit trail are not signed by either key: postern audit verify says more"
                    )
                }
                if unreadable > 0 {
                    throw CommandFailure("\(unreadable) values open under neither key; they were of no use before, either")
                }
            }
        }

        private func show(_ columns: [(column: SealedColumn, counts: MasterKeyRotation.Counts)]) {
            if json {
                let entries = columns.map { column, counts -> JSONValue in
                    [
                        "table": .string(column.table), "column": .string(column.column),
                        "renewed": .integer(Int64(counts.renewed)), "unreadable": .integer(Int64(counts.unreadable)),
                    ]
                }
                return print(JSONValue.object(["columns": .array(entries)]).text)
            }
            var table = TextTable(["TABLE", "COLUMN", "SEALED ANEW", "UNREADABLE"])
            for (column, counts) in columns {
                table.add([column.table, column.column, "\(counts.renewed)", "\(counts.unreadable)"])
            }
            table.show()
        }
    }
}
