import HTTPAPI
import Messaging
import Testing

@testable import Console

@Suite("Charts")
struct ChartTests {
    private static func tree(_ chart: Chart) throws -> HTMLTree {
        let context = PageContext(texts: try ConsoleTexts.of(.english))
        return try HTMLTree(ConsoleLayout.html(ConsolePage(title: "Test", blocks: [.chart(chart)]), context).document)
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
        let bars = tree["path"].filter { $0.attributes["class"] != "grid" }
        #expect(bars.map { $0.attributes["d"] } == ["M15 800h70v200h-70zM115 600h70v400h-70z", "M15 0h70v800h-70z"])
        #expect(bars.map { $0.attributes["class"] } == ["s0", "s1"])
        #expect(tree["td"].map(\.text) == ["10", "40", "50", "20", "0", "20"])
        let days = tree["rect"].filter { $0.attributes["class"] == "day" }
        #expect(days.map { $0.attributes["x"] } == ["0", "100"])
        #expect(tree["title"].suffix(2).map(\.text) == ["Mon\nS0: 10\nS1: 40", "Tue\nS0: 20\nS1: 0"])
        #expect(tree["th"].map(\.text) == ["Day", "", "", "", "Mon", "Tue"])
        #expect(tree["bdi"].map(\.text).suffix(3) == ["S0", "S1", "Total"])
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
        let bars = tree["path"].filter { $0.attributes["class"] != "grid" }
        #expect(bars.map { $0.attributes["d"] } == ["M15 0h70v1000h-70z", "M15 0h70v0h-70z", ""])
        let empty = try Self.tree(Chart(title: "Empty", labels: ["Mon"], series: []))
        #expect(empty["rect"].isEmpty && empty["table"].isEmpty)
    }

    @Test(
        "the highest line is the next round number",
        arguments: [(0, 1), (1, 1), (3, 3), (7, 8), (9, 10), (11, 15), (262, 300)]
    )
    func top(maximum: Int64, top: Int64) { #expect(Chart.top(maximum) == top) }

    @Test("the highest line of the highest numbers is the number itself")
    func highest() { #expect(Chart.top(.max) == .max) }
}
