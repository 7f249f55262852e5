import ArgumentParser
import Project
import Server
import Settings
import Storage

/// `postern copy`: copies everything from one store to another, also between different engines.
struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a whole store into an empty one, of the same or the other engine, and compare them.",
        discussion: "Stop every node first. Both URLs are written as database.url is: sqlite:PATH or postgresql://…"
    )

    @OptionGroup var config: ConfigOption
    @Option(help: "The store to read.") var from: DatabaseSettings.Location
    @Option(help: "The empty store to write.") var to: DatabaseSettings.Location
    @Flag(help: "Print JSON.") var json = false

    private static let connections = 2

    func run() async throws {
        let settings = try await config.settings()
        do {
            try StorePlace.requireDatabase(at: from)
            try StorePlace.requireDirectory(of: to)
            let logger = config.logger(settings)
            let limits = PostgreSQLDatabase.Limits.slow(connections: Self.connections)
            let now = ServerEnvironment.systemClock()
            let source = try await Store.open(from, limits: limits, at: now, logger: logger).database
            let target = try await Store.open(to, limits: limits, at: now, logger: logger).database
            let bar = ProgressLine()
            let tables = try await StoreCopy(from: source, to: target).copy { Self.show($0, bar) }
            bar.end()
            try await target.close()
            try await source.close()
            report(tables)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func show(_ progress: StoreCopy.Progress, _ bar: ProgressLine) {
        let share = progress.total > 0 ? Double(progress.rows) / Double(progress.total) : 1
        let verb = progress.isVerifying ? "compared" : "copied"
        bar.show(share, "\(progress.table): \(progress.rows) of \(progress.total) rows \(verb)")
    }

    private func report(_ tables: [(table: String, rows: Int64)]) {
        if json {
            let rows = JSONObject(naming: tables.map { ($0.table, .integer($0.rows)) })
            print(JSONValue.object(["tables": .object(rows)]).text)
        } else {
            for (table, rows) in tables { print("\(table): \(rows) rows, compared") }
        }
    }
}

extension DatabaseSettings.Location: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}
