import ArgumentParser
import Foundation
import Project
import Storage

/// `postern copy`: moves everything from one store to another, whatever their engines.
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

    /// A store that cannot be a source.
    struct NoSource: Error, CustomStringConvertible {
        let path: String
        var description: String { "there is no database at \(path)" }
    }

    func run() async throws {
        let settings = try await config.settings()
        do {
            if case .sqlite(let path) = from, !FileManager.default.fileExists(atPath: path) { throw NoSource(path: path) }
            let logger = config.logger(settings)
            let now = ServerEnvironment.systemClock()
            let source = try await Store.open(from, poolSize: Self.connections, at: now, logger: logger).database
            let target = try await Store.open(to, poolSize: Self.connections, at: now, logger: logger).database
            let bar = ProgressBar()
            let tables = try await StoreCopy(from: source, to: target).run { bar.show($0) }
            bar.end()
            try await target.close()
            try await source.close()
            report(tables)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func report(_ tables: [(table: String, rows: Int64)]) {
        if json {
            let rows = Dictionary(uniqueKeysWithValues: tables.map { ($0.table, JSONValue.integer($0.rows)) })
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

/// A line on standard error that says how far a copy is; only a terminal gets one.
private struct ProgressBar {
    private let isTerminal = isatty(STDERR_FILENO) == 1

    private static let width = 30

    func show(_ progress: StoreCopy.Progress) {
        guard isTerminal else { return }
        let share = progress.total > 0 ? min(1, Double(progress.rows) / Double(progress.total)) : 1
        let done = Int(share * Double(Self.width))
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: Self.width - done)
        let verb = progress.isVerifying ? "compared" : "copied"
        write("\r\u{1b}[2K\(bar) \(progress.table): \(progress.rows) of \(progress.total) rows \(verb)")
    }

    func end() { if isTerminal { write("\r\u{1b}[2K") } }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
