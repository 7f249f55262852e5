import Project

extension Cell {
    static let template = """
        {{.text}}{{#.foreign}}<bdi>{{.text}}</bdi>{{/.foreign}}\
        {{#.code}}<code dir="ltr">{{.text}}</code>{{/.code}}\
        {{#.link}}{{>link}}{{/.link}}\
        {{#.time}}<time datetime="{{.exact}}" dir="ltr">{{.text}}</time>{{/.time}}\
        {{#.badge}}<span class="badge {{.tone}}"><bdi>{{.text}}</bdi></span>{{/.badge}}\
        {{#.number}}<span class="number" dir="ltr">{{.text}}</span>{{/.number}}\
        {{#.forms}}{{>form}}{{/.forms}}\
        {{#.isSeveral}}<div class="several">{{#.several}}<div>{{>cell}}</div>{{/.several}}</div>{{/.isSeveral}}\
        {{#.isNone}}<span class="none">–</span>{{/.isNone}}
        """

    func values(_ rendering: inout Rendering) -> Values {
        switch self {
        case .text(let text): return ["text": text]
        case .foreign(let text): return ["foreign": section(text)]
        case .code(let text): return ["code": section(text)]
        case .link(let text, let path): return ["link": Link(text: text, path: path).values]
        case .time(let time):
            return ["time": ["exact": time.rfc3339, "text": Self.shown(time)] as Values]
        case .badge(let text, let tone): return ["badge": ["text": text, "tone": tone.rawValue] as Values]
        case .number(let number): return ["number": section(Self.grouped(number))]
        case .none: return ["isNone": true]
        case .forms(let forms): return ["forms": forms.map { $0.values(&rendering) }]
        case .several(let cells): return ["isSeveral": true, "several": cells.map { $0.values(&rendering) }]
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
    static let template = """
        {{#.path}}<a href="{{.text}}"{{/.path}}{{^.path}}<span{{/.path}}{{#.isCurrent}} aria-current="page"{{/.isCurrent}}>\
        <bdi>{{.text}}</bdi>{{#.path}}</a>{{/.path}}{{^.path}}</span>{{/.path}}
        """

    var values: Values {
        ["text": text, "path": section(ConsolePath.isSafe(path) ? path : nil), "isCurrent": isCurrent]
    }
}
