import Foundation
import PerformanceTable
import TestKit
import Testing

@Suite("The table of performance")
struct PerformanceTableTests {
    private static let page = """
        # Performance

        | ratio | 9.9.9 |
        |---|---|
        | sign-in | 9 |

        ## Ratios

        Less is better.

        | ratio | target | 0.1.0 | 0.2.0 |
        |---|---|---|---|
        | sign-in | ≤ 1.5 | 1.1 | 1.40 |
        | look-up | ≤ 2 | 1.9 | — |

        ## Figures

        | figure | 0.2.0 |
        |---|---|
        | look-up | 3 |
        """

    @Test("has the latest release in its last column")
    func reading() throws {
        let table = try PerformanceTable(markdown: Self.page)
        #expect(table.release == "0.2.0")
        #expect(table.ratios == ["sign-in": 1.4])
        #expect(throws: PerformanceTable.Missing.self) { try PerformanceTable(markdown: "## Ratios\n\nNone yet.\n") }
    }

    @Test("names a ratio that is worse by more than a tenth", arguments: [(1.0, false), (1.53, false), (1.55, true)])
    func comparing(ratio: Double, isWorse: Bool) throws {
        let setbacks = try PerformanceTable(markdown: Self.page).setbacks([("sign-in", ratio), ("look-up", 100)])
        #expect(setbacks.map(\.name) == (isWorse ? ["sign-in"] : []))
    }

    @Test(
        "compares ratios to a signature only where signatures cost as much, compared with other work",
        arguments: [(10.0, true), (12.4, true), (12.6, false), (7.9, false)]
    )
    func processors(signature: Double, isCompared: Bool) throws {
        let page = "## Ratios\n| figure | 0.2.0 |\n|---|---|\n| RSA-2048 signature | 10 |\n| token | 1.5 |\n| lookup | 2 |\n"
        let measured = [("RSA-2048 signature", signature), ("token", 9), ("lookup", 9)]
        let table = try PerformanceTable(markdown: page)
        #expect(table.setbacks(measured).map(\.name) == (isCompared ? ["token", "lookup"] : ["lookup"]))
        #expect(table.isOfOtherProcessor(measured) == !isCompared)
    }

    @Test("is on the page of the repository")
    func page() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Performance.md"), encoding: .utf8)
        let ratios = try PerformanceTable(markdown: page).ratios
        #expect(ratios.count > 10)
        #expect(ratios.values.allSatisfy { $0 > 0 })
    }
}
