import HTTPAPI
import Project

extension Cell {
    func html(_ rendering: inout Rendering) -> HTML {
        switch self {
        case .text(let text): return .text(text)
        case .foreign(let text): return HTML("bdi", text)
        case .code(let text): return HTML("code", ["dir": "ltr"], text)
        case .link(let text, let path): return Link(text: text, path: path).html
        case .time(let time): return HTML("time", ["datetime": time.rfc3339, "dir": "ltr"], Self.shown(time))
        case .badge(let text, let tone): return HTML("span", ["class": "badge \(tone.rawValue)"]) { HTML("bdi", text) }
        case .number(let number): return HTML("span", ["class": "number", "dir": "ltr"], Self.grouped(number))
        case .none: return HTML("span", ["class": "none"], "–")
        case .forms(let forms): return .several(forms.map { $0.html(&rendering) })
        case .several(let cells):
            return HTML("div", ["class": "several"]) { cells.map { cell in HTML("div") { cell.html(&rendering) } } }
        }
    }

    /// The time to the minute. The seconds and the part of a second end the exact text: `:05.678Z`.
    static func shown(_ time: Timestamp) -> String { String(time.rfc3339.dropLast(8)).replacing("T", with: " ") }

    /// The number with a narrow space between groups of three digits, as all the languages read it (ISO 80000-1 §7.3.1).
    static func grouped(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }
}

extension Link {
    var html: HTML {
        let isSafe = ConsolePath.isSafe(path)
        let attributes: HTML.Attributes = ["href": isSafe ? path : nil, "aria-current": isCurrent ? "page" : nil]
        return HTML(isSafe ? "a" : "span", attributes) { HTML("bdi", text) }
    }
}
