import Messaging
import Testing

@testable import Console

@Suite("Charts")
struct ChartTests {
    private static func tree(_ chart: Chart) throws -> HTMLTree {
        let context = PageContext(texts: try ConsoleTexts.of(.english))
        return try HTMLTree(try ConsoleRenderer().html(ConsolePage(title: "Test", blocks: [.chart(chart)]), context))
    }

    private static func chart(_ values: [[Int64]]) -> Chart {
        Chart(
            title: "Sign-ins",
            labels: ["Mon", "Tue"],
            series: values.enumerated().map { Chart.Series(name: "S\($0)", values: $1) }
        )
    }

    @Test("the bars are as high as the numbers, one upon the other, and the table has the same numbers")
    func numbers() throws {
        let tree = try Self.tree(Self.chart([[10, 20], [40, 0]]))
        let bars = tree["rect"].filter { $0.attributes["x"] != nil }
        #expect(bars.map { $0.attributes["x"] } == ["15", "15", "115"])
        #expect(bars.map { $0.attributes["height"] } == ["200", "800", "400"])
        #expect(bars.map { $0.attributes["y"] } == ["800", "0", "600"])
        #expect(bars.map { $0.attributes["class"] } == ["s0", "s1", "s0"])
        #expect(tree["span"].filter { $0.attributes["class"] == "number" }.map(\.text) == ["10", "40", "50", "20", "0", "20"])
        #expect(tree["th"].map(\.text) == ["Day", "S0", "S1", "Total", "Mon", "Tue"])
    }

    @Test("the drawing has a name and a summary for those who do not see it")
    func names() throws {
        let tree = try Self.tree(Self.chart([[10, 20], [40, 0]]))
        let drawing = try #require(tree["svg"].first { $0.attributes["role"] == "img" })
        let ids = try #require(drawing.attributes["aria-labelledby"]).split(separator: " ")
        let heard = ids.map { id in tree.elements.first { $0.attributes["id"] == String(id) }?.text }
        #expect(heard == ["Sign-ins", "70 in total, at most 50 on one day"])
    }

    @Test("missing, negative and huge values neither stop nor leave the drawing")
    func extremes() throws {
        let tree = try Self.tree(Self.chart([[.max, -5], [.max], []]))
        let heights = tree["rect"].filter { $0.attributes["x"] != nil }.compactMap { $0.attributes["height"].flatMap { Int($0) } }
        #expect(heights == [1000, 0])
        #expect(try Self.tree(Chart(title: "Empty", labels: [], series: []))["rect"].isEmpty)
    }

    @Test(
        "the highest line is the next round number",
        arguments: [(0, 1), (1, 1), (3, 3), (7, 8), (9, 10), (11, 15), (262, 300)]
    )
    func top(maximum: Int64, top: Int64) { #expect(Chart.top(maximum) == top) }

    @Test("the highest line of the highest numbers is the number itself")
    func highest() { #expect(Chart.top(.max) == .max) }
}
