import Foundation

/// The ratios of the latest release, as Docs/Performance.md keeps them.
///
/// The table stands under the heading `## Ratios`. Its first column names the figure, and its last column is the latest release.
package struct PerformanceTable: Sendable {
    /// The page has no such table.
    package struct Missing: Error {}

    /// A ratio that is worse than the table's by more than a tenth.
    package struct Setback: Sendable {
        package let name: String
        package let ratio: Double
        package let recorded: Double
    }

    /// The heading of the last column.
    package let release: String
    /// Its ratios by the names of their figures; figures without one in that release are left out.
    package let ratios: [String: Double]

    /// The figure whose ratio is the cost of a signature in bare routes. It tells kinds of processors apart: those with AVX-512 IFMA sign
    /// in a third of the time that others need, while they do everything else alike.
    package static let signature = "RSA-2048 signature"

    // The figures whose divisor is a signature.
    private static let signed: Set = [signature, "signInWithIdp", "token", "anonymous signUp"]
    // What the same build differs by from run to run is well below.
    private static let tolerance = 1.1
    private static let toleranceOfSignature = 1.25

    /// Reads the page.
    ///
    /// - Parameter markdown: Its text.
    /// - Throws: ``Missing``.
    package init(markdown: String) throws {
        let rows = markdown.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != "## Ratios" }.dropFirst()
            .prefix { !$0.hasPrefix("#") }
            .drop { !$0.hasPrefix("|") }
            .prefix { $0.hasPrefix("|") }
            .map { row in
                row.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
        guard let release = rows.first?.last, rows.count > 2 else { throw Missing() }
        self.release = release
        // The second row is the line below the heading.
        let recorded = rows.dropFirst(2).compactMap { row -> (String, Double)? in
            guard let name = row.first, let ratio = row.last.flatMap({ Double($0) }) else { return nil }
            return (name, ratio)
        }
        ratios = Dictionary(recorded) { $1 }
    }

    /// Compares a run with the table.
    ///
    /// - Parameter measured: The ratios of the run. Less is better.
    /// - Returns: The ratios that are worse by more than a tenth. Figures that the table does not have are not compared, nor those with
    ///   signatures on another kind of processor.
    package func setbacks(_ measured: [(name: String, ratio: Double)]) -> [Setback] {
        let isOtherProcessor = isOfOtherProcessor(measured)
        return measured.compactMap { name, ratio in
            if name == Self.signature || isOtherProcessor && Self.signed.contains(name) { return nil }
            guard let recorded = ratios[name], ratio > recorded * Self.tolerance else { return nil }
            return Setback(name: name, ratio: ratio, recorded: recorded)
        }
    }

    /// Whether the processor of a run signs at another rate, compared with its other work, than that of the table.
    package func isOfOtherProcessor(_ measured: [(name: String, ratio: Double)]) -> Bool {
        guard let here = measured.first(where: { $0.name == Self.signature })?.ratio, let there = ratios[Self.signature] else {
            return false
        }
        return max(here / there, there / here) > Self.toleranceOfSignature
    }
}
