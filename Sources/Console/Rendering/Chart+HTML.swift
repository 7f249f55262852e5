extension Chart {
    /// The drawing is stretched to its box, so that its units are no pixels: a day is 100 wide, the highest bar 1000 high at most.
    static let template = """
        <figure class="chart">
        <figcaption>{{.title}}</figcaption>
        <ul class="legend">
        {{#.legend}}
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="{{.class}}" width="10" height="10" rx="2"/></svg> \
        <bdi>{{.name}}</bdi></li>
        {{/.legend}}
        </ul>
        <div class="plot" dir="ltr">
        <p class="top" aria-hidden="true">{{.top}}</p>
        <svg viewBox="0 0 {{.width}} 1000" preserveAspectRatio="none" role="img" aria-labelledby="{{.id}}-title {{.id}}-summary">
        <title id="{{.id}}-title">{{.title}}</title>
        <desc id="{{.id}}-summary">{{.summary}}</desc>
        <path class="grid" d="M0 0H{{.width}}M0 500H{{.width}}M0 1000H{{.width}}"/>
        {{#.days}}
        <g><title>{{.text}}</title>{{#.bars}}<rect class="{{.class}}" x="{{.x}}" y="{{.y}}" width="70" height="{{.height}}"/>{{/.bars}}</g>
        {{/.days}}
        </svg>
        <p class="days" aria-hidden="true">{{#.ends}}<bdi>{{.}}</bdi>{{/.ends}}</p>
        </div>
        <details><summary>{{.numbers}}</summary>
        {{#.table}}
        {{>table}}
        {{/.table}}
        </details>
        </figure>

        """

    /// As many colours as the style sheet has.
    private static let colors = 8

    func values(_ rendering: inout Rendering) -> Values {
        let texts = rendering.texts
        let totals = labels.indices.map { day in series.reduce(Int64(0)) { Self.sum($0, $1.value(day)) } }
        let (total, maximum) = (totals.reduce(0, Self.sum), totals.max() ?? 0)
        let top = Self.top(maximum)
        let ends = labels.count > 2 ? [labels[0], labels[labels.count / 2], labels[labels.count - 1]] : labels
        return [
            "id": rendering.id(), "title": title, "width": String(max(labels.count, 1) * 100), "top": Cell.grouped(top),
            "summary": texts.text("chart.summary", ["total": String(total), "maximum": String(maximum)]),
            "legend": series.enumerated().map { ["name": $1.name, "class": Self.color($0)] as Values },
            "days": labels.indices.map { day(at: $0, of: top) }, "ends": ends, "numbers": texts["chart.numbers"],
            "table": table(totals, texts).values(&rendering),
        ]
    }

    private func day(at index: Int, of top: Int64) -> Values {
        var (bars, sum): ([Values], Int64) = ([], 0)
        for (number, series) in series.enumerated() where series.value(index) > 0 {
            let low = Self.height(sum, of: top)
            sum = Self.sum(sum, series.value(index))
            let high = Self.height(sum, of: top)
            bars.append([
                "class": Self.color(number), "x": String(index * 100 + 15), "y": String(1000 - high),
                "height": String(high - low),
            ])
        }
        let parts = series.map { "\($0.name): \(Cell.grouped($0.value(index)))" }
        return ["text": ([labels[index]] + parts).joined(separator: "\n"), "bars": bars]
    }

    /// The numbers of the chart as a table: a row a day, a column a series, and their sum when there are several.
    private func table(_ totals: [Int64], _ texts: ConsoleTexts) -> Table {
        let sums = series.count > 1 ? [texts["chart.total"]] : []
        return Table(
            caption: title,
            columns: [texts["chart.day"]] + series.map(\.name) + sums,
            rows: labels.indices.map { day in
                let numbers = series.map { $0.value(day) } + (series.count > 1 ? [totals[day]] : [])
                return [.text(labels[day])] + numbers.map { .number($0) }
            },
            emptyText: ""
        )
    }

    private static func color(_ index: Int) -> String { "s\(index % colors)" }

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
    /// The value of a day.
    fileprivate func value(_ day: Int) -> Int64 { day < values.count ? max(values[day], 0) : 0 }
}
