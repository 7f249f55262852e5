import Foundation

/// Prints figures in aligned lines.
enum Report {
    /// Prints a heading.
    static func heading(_ text: String) { line("\n\(text)") }

    /// Prints a figure, with a remark about its target.
    static func figure(_ name: String, _ value: String, _ remark: String = "") {
        line("  \(name.padding(toLength: 34, withPad: " ", startingAt: 0))\(right(value, 12))   \(remark)")
    }

    /// Prints a line and flushes it, also into a pipe.
    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// A rate per second.
    static func rate(_ value: Double) -> String { "\(Int(value.rounded()).formatted(.number.grouping(.automatic)))/s" }

    /// A share as a percentage, with its target and whether it is met.
    static func share(_ value: Double, of whole: String, atLeast target: Double) -> String {
        let mark = value >= target ? "met" : "MISSED"
        return "\(percent(value)) of \(whole), target \(percent(target)): \(mark)"
    }

    /// A value below a bound.
    static func bound(_ met: Bool, _ target: String) -> String { "target \(target): \(met ? "met" : "MISSED")" }

    /// Milliseconds of a latency in microseconds.
    static func milliseconds(_ microseconds: Double) -> String { String(format: "%.2f ms", microseconds / 1000) }

    private static func percent(_ value: Double) -> String { "\(Int((value * 100).rounded())) %" }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension [Double] {
    /// The middle value; of an even number of values, the upper of both.
    var median: Double { sorted()[count / 2] }
}
