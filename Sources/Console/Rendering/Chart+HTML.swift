import HTTPAPI

extension Chart {
    /// As many colours as the style sheet has.
    private static let colors = 8

    /// The drawing is stretched to its box, so that its units are no pixels: a day is 100 wide, the highest bar 1000 high at most.
    ///
    /// A series is one path and a number one cell without parts: 90 days of eight charts have thousands of each.
    func html(_ rendering: inout Rendering) -> HTML {
        let (texts, id) = (rendering.texts, rendering.id())
        let totals = labels.indices.map { day in series.reduce(Int64(0)) { Self.sum($0, $1.value(day)) } }
        let rows = labels.indices.map { row(at: $0, totals) }
        let top = Self.top(totals.max() ?? 0)
        let sums = ["total": String(totals.reduce(0, Self.sum)), "maximum": String(totals.max() ?? 0)]
        let ends = labels.count > 2 ? [labels[0], labels[labels.count / 2], labels[labels.count - 1]] : labels
        return HTML("figure", ["class": "chart"]) {
            HTML("figcaption", title)
            HTML("ul", ["class": "legend"]) { series.indices.map(legend) }
            HTML("div", ["class": "plot", "dir": "ltr"]) {
                HTML("p", ["class": "top", "aria-hidden": "true"], Cell.grouped(top))
                drawing(of: top, rows, id, texts.text("chart.summary", sums))
                HTML("p", ["class": "days", "aria-hidden": "true"]) { ends.map { HTML("bdi", $0) } }
            }
            if !series.isEmpty { numbers(rows, rendering.id(), texts) }
        }
    }

    private func legend(_ number: Int) -> HTML {
        HTML("li") {
            HTML("svg", ["viewBox": "0 0 10 10", "aria-hidden": "true"]) {
                HTML("rect", ["class": Self.color(number), "width": "10", "height": "10", "rx": "2"])
            }
            " "
            HTML("bdi", series[number].name)
        }
    }

    private func drawing(of top: Int64, _ rows: [[String]], _ id: String, _ summary: String) -> HTML {
        let width = max(labels.count, 1) * 100
        let attributes: HTML.Attributes = [
            "viewBox": "0 0 \(width) 1000", "preserveAspectRatio": "none", "role": "img",
            "aria-labelledby": "\(id)-title \(id)-summary",
        ]
        return HTML("svg", attributes) {
            HTML("title", ["id": "\(id)-title"], title)
            HTML("desc", ["id": "\(id)-summary"], summary)
            HTML("path", ["class": "grid", "d": "M0 0H\(width)M0 500H\(width)M0 1000H\(width)"])
            bars(of: top).enumerated().map { HTML("path", ["class": Self.color($0), "d": $1]) }
            if !series.isEmpty { zip(labels.indices, rows).map(day) }
        }
    }

    /// The part of the drawing that tells a day's numbers.
    private func day(_ day: Int, _ numbers: [String]) -> HTML {
        let parts = [labels[day]] + zip(series, numbers).map { "\($0.name): \($1)" }
        return HTML("rect", ["class": "day", "x": String(day * 100), "width": "100", "height": "1000"]) {
            HTML("title", parts.joined(separator: "\n"))
        }
    }

    private static func color(_ series: Int) -> String { "s\(series % colors)" }

    /// The bars of each series as the data of a path, one series upon the other.
    private func bars(of top: Int64) -> [String] {
        var sums = [Int64](repeating: 0, count: labels.count)
        return series.map { series in
            var path = ""
            for day in labels.indices where series.value(day) > 0 {
                let low = Self.height(sums[day], of: top)
                sums[day] = Self.sum(sums[day], series.value(day))
                let high = Self.height(sums[day], of: top)
                path += "M\(day * 100 + 15) \(1000 - high)h70v\(high - low)h-70z"
            }
            return path
        }
    }

    /// The numbers of a day: one a series, and their sum when there are several.
    private func row(at day: Int, _ totals: [Int64]) -> [String] {
        series.map { Cell.grouped($0.value(day)) } + (series.count > 1 ? [Cell.grouped(totals[day])] : [])
    }

    /// The numbers of the chart as a table: a row a day, a column a series.
    private func numbers(_ rows: [[String]], _ id: String, _ texts: ConsoleTexts) -> HTML {
        let columns = series.map(\.name) + (series.count > 1 ? [texts["chart.total"]] : [])
        return HTML("details") {
            HTML("summary", texts["chart.numbers"])
            HTML("div", ["class": "scroll", "tabindex": "0", "role": "group", "aria-labelledby": id]) {
                HTML("table") {
                    HTML("caption", ["id": id], title)
                    HTML("thead") {
                        HTML("tr") {
                            HTML("th", ["scope": "col"], texts["chart.day"])
                            columns.map { column in HTML("th", ["scope": "col", "class": "end"]) { HTML("bdi", column) } }
                        }
                    }
                    HTML("tbody") {
                        zip(labels, rows).map { day, numbers in
                            HTML("tr") {
                                HTML("th", ["scope": "row"], day)
                                numbers.map { HTML("td", ["class": "end"], $0) }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func height(_ value: Int64, of top: Int64) -> Int { Int((Double(value) / Double(top) * 1000).rounded()) }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }

    /// The first round number that is not below the number: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten, if it is whole.
    static func top(_ maximum: Int64) -> Int64 {
        var power: Int64 = 1
        while true {
            for tenths: Int64 in [10, 15, 20, 30, 40, 50, 60, 80] {
                let value = power < 10 ? power * tenths / 10 : power / 10 * tenths
                if value >= maximum { return value }
            }
            let (next, overflows) = power.multipliedReportingOverflow(by: 10)
            if overflows { return maximum }
            power = next
        }
    }
}

extension Chart.Series {
    fileprivate func value(_ day: Int) -> Int64 { day < values.count ? max(values[day], 0) : 0 }
}
