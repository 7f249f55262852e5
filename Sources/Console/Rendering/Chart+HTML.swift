extension Chart {
    /// The drawing is stretched to its box, so that its units are no pixels: a day is 100 wide, the highest bar 1000 high at most.
    ///
    /// A series is one path and a number one cell without parts: 90 days of eight charts have thousands of each.
    static let template = """
        <figure class="chart">
        <figcaption>{{.title}}</figcaption>
        <ul class="legend">
        {{#.series}}
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="{{.class}}" width="10" height="10" rx="2"></rect></svg> \
        <bdi>{{.name}}</bdi></li>
        {{/.series}}
        </ul>
        <div class="plot" dir="ltr">
        <p class="top" aria-hidden="true">{{.top}}</p>
        <svg viewBox="0 0 {{.width}} 1000" preserveAspectRatio="none" role="img" aria-labelledby="{{.id}}-title {{.id}}-summary">
        <title id="{{.id}}-title">{{.title}}</title>
        <desc id="{{.id}}-summary">{{.summary}}</desc>
        <path class="grid" d="M0 0H{{.width}}M0 500H{{.width}}M0 1000H{{.width}}"/>
        {{#.series}}
        <path class="{{.class}}" d="{{.bars}}"/>
        {{/.series}}
        {{#.days}}
        <rect class="day" x="{{.x}}" width="100" height="1000"><title>{{.text}}</title></rect>
        {{/.days}}
        </svg>
        <p class="days" aria-hidden="true">{{#.ends}}<bdi>{{.}}</bdi>{{/.ends}}</p>
        </div>
        {{#.numbers}}
        <details><summary>{{.summary}}</summary>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="{{.id}}">
        <table>
        <caption id="{{.id}}">{{.title}}</caption>
        <thead><tr><th scope="col">{{.day}}</th>{{#.columns}}<th scope="col" class="end"><bdi>{{.}}</bdi></th>{{/.columns}}</tr></thead>
        <tbody>
        {{#.rows}}
        <tr><th scope="row">{{.day}}</th>{{#.numbers}}<td class="end">{{.}}</td>{{/.numbers}}</tr>
        {{/.rows}}
        </tbody>
        </table>
        </div>
        </details>
        {{/.numbers}}
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
        let bars = bars(of: top)
        var values: Values = [
            "id": rendering.id(), "title": title, "width": String(max(labels.count, 1) * 100), "top": Cell.grouped(top),
            "summary": texts.text("chart.summary", ["total": String(total), "maximum": String(maximum)]),
            "series": series.enumerated().map { number, series -> Values in
                ["name": series.name, "class": "s\(number % Self.colors)", "bars": bars[number]]
            },
            "ends": ends,
        ]
        guard !series.isEmpty else { return values }
        let rows = labels.indices.map { row(at: $0, totals) }
        values["days"] = zip(labels.indices, rows).map { day, numbers -> Values in
            let parts = zip(series, numbers).map { "\($0.name): \($1)" }
            return ["x": String(day * 100), "text": ([labels[day]] + parts).joined(separator: "\n")]
        }
        values["numbers"] = numbers(rows, rendering.id(), texts)
        return values
    }

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
    private func numbers(_ rows: [[String]], _ id: String, _ texts: ConsoleTexts) -> Values {
        let sums = series.count > 1 ? [texts["chart.total"]] : []
        return [
            "summary": texts["chart.numbers"], "id": id, "title": title, "day": texts["chart.day"],
            "columns": series.map(\.name) + sums,
            "rows": zip(labels, rows).map { ["day": $0, "numbers": $1] as Values },
        ]
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
    /// The value of a day.
    fileprivate func value(_ day: Int) -> Int64 { day < values.count ? max(values[day], 0) : 0 }
}
