import ArgumentParser
import Foundation
import PerformanceTable
import TestKit

/// Prints the figures as one table, and compares their ratios with those of the latest release.
struct Report {
    /// A figure.
    struct Line: Sendable {
        /// Names the figure here and in Docs/Performance.md.
        let name: String
        let value: String
        let unit: String
        /// Processor time divided by the bare cost of the same work. Less is better.
        var ratio: Double?
        var target: Target?
        var note = ""
    }

    /// What a figure should reach.
    struct Target: Sendable {
        let text: String
        let isMet: Bool

        /// At most a bound.
        static func atMost(_ bound: Double, _ value: Double, _ unit: String = "") -> Target {
            Target(text: "≤ \(String(format: "%g", bound))\(unit)", isMet: value <= bound)
        }

        /// Less than a bound.
        static func below(_ bound: Double, _ value: Double, _ unit: String = "") -> Target {
            Target(text: "< \(String(format: "%g", bound))\(unit)", isMet: value < bound)
        }
    }

    private var lines: [Line] = []

    /// Prints figures and remembers them.
    mutating func add(_ added: [Line]) {
        if lines.isEmpty {
            Self.row("figure", "value", "unit", "ratio", "target", "", "")
        }
        lines += added
        for line in added {
            let mark = line.target.map { $0.isMet ? "met" : "MISSED" } ?? ""
            let ratio = line.ratio.map { String(format: "%.2f", $0) } ?? ""
            Self.row(line.name, line.value, line.unit, ratio, line.target?.text ?? "", mark, line.note)
        }
    }

    /// Compares the ratios with those of the latest release and names each that is worse by more than a tenth.
    ///
    /// - Throws: `ExitCode.failure` when there is one; `PerformanceTable.Missing` when the page has no table.
    func compare() throws {
        let page = packageDirectory.appending(path: "Docs/Performance.md")
        let table = try PerformanceTable(markdown: String(contentsOf: page, encoding: .utf8))
        let measured = lines.compactMap { line in line.ratio.map { (name: line.name, ratio: $0) } }
        if table.isOfOtherProcessor(measured) {
            print("This processor signs at another rate than that of \(table.release): ratios to signatures are not compared.")
        }
        let setbacks = table.setbacks(measured)
        for setback in setbacks {
            let ratio = String(format: "%.2f", setback.ratio)
            print("Worse than \(table.release) in Docs/Performance.md: \(setback.name), \(ratio) instead of \(setback.recorded)")
        }
        guard setbacks.isEmpty else { throw ExitCode.failure }
        print("No ratio is worse than \(table.release) in Docs/Performance.md by more than a tenth.")
    }

    /// Says on standard error what is being done, so that the table stays one.
    static func progress(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    private static func row(_ cells: String...) {
        let widths = [42, -9, 13, -6, 11, 7, 0]
        let padded = zip(cells, widths).map { cell, width in
            let space = String(repeating: " ", count: max(0, abs(width) - cell.count))
            return width < 0 ? space + cell : cell + space
        }
        print("| " + padded.joined(separator: " | ") + " |")
        fflush(nil)
    }
}

extension Report.Line {
    /// The processor time of a request: the least of the runs.
    static func cost(_ name: String, _ runs: [Load.Outcome], ratio: Double?, target: Report.Target? = nil) -> Report.Line {
        let cost = runs.cost
        return Report.Line(
            name: name,
            value: milliseconds(cost.total),
            unit: "ms/request",
            ratio: ratio,
            target: target,
            note: "user \(milliseconds(cost.user)), system \(milliseconds(cost.system)); \(rate(runs.rate))"
        )
    }

    /// A bare cost.
    static func bare(_ name: String, _ milliseconds: Double, ratio: Double? = nil) -> Report.Line {
        Report.Line(name: name, value: self.milliseconds(milliseconds), unit: "ms, bare", ratio: ratio)
    }

    /// Resident memory.
    static func memory(_ name: String, _ bytes: Int, target: Report.Target? = nil, note: String = "") -> Report.Line {
        Report.Line(name: name, value: megabytes(bytes), unit: "MB", target: target, note: note)
    }

    /// A rate per second.
    static func rate(_ value: Double) -> String { "\(Int(value.rounded()))/s" }

    /// Milliseconds to three places, four below a tenth.
    static func milliseconds(_ value: Double) -> String { String(format: value < 0.1 ? "%.4f" : "%.3f", value) }

    /// Bytes in MB of 2^20.
    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1_048_576) }
}
