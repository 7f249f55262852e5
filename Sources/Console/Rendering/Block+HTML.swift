import HTTPAPI

extension Block {
    /// The title of the page names the navigations on it.
    func html(_ title: String, _ rendering: inout Rendering) -> HTML {
        switch self {
        case .heading(let text): return HTML("h2") { HTML("bdi", text) }
        case .paragraph(let text): return HTML("p", text)
        case .notice(let notice): return notice.html(rendering.texts)
        case .facts(let facts):
            return Self.several("dl", ["class": "facts"], facts) { fact in
                HTML("div") {
                    HTML("dt", fact.label)
                    HTML("dd") { fact.value.html(&rendering) }
                }
            }
        case .table(let table): return table.html(&rendering)
        case .form(let form): return form.html(&rendering)
        case .chart(let chart): return chart.html(&rendering)
        case .code(let label, let text):
            let id = rendering.id()
            return HTML("figure", ["class": "code", "data-copy": true]) {
                HTML("figcaption", ["id": id], label)
                HTML("pre", ["dir": "ltr", "tabindex": "0", "role": "group", "aria-labelledby": id]) { HTML("code", text) }
            }
        case .frame(let title, let path):
            guard ConsolePath.isSafe(path) else { return .several([]) }
            return HTML("iframe", ["class": "message-preview", "sandbox": true, "title": title, "src": path])
        case .list(let cells): return Self.several("ul", [:], cells) { cell in HTML("li") { cell.html(&rendering) } }
        case .links(let links):
            return HTML("nav", ["class": "links", "aria-label": title]) {
                HTML("ul") { links.map { link in HTML("li") { link.html } } }
            }
        case .columns(let columns):
            return Self.several("div", ["class": "columns"], columns) { blocks in
                HTML("div") { Self.html(blocks, title, &rendering) }
            }
        case .details(let summary, let blocks):
            return HTML("details", ["class": "more"]) {
                HTML("summary", summary)
                Self.html(blocks, title, &rendering)
            }
        case .toolbar(let forms): return Self.several("div", ["class": "toolbar"], forms) { $0.html(&rendering) }
        }
    }

    static func html(_ blocks: [Block], _ title: String, _ rendering: inout Rendering) -> [HTML] {
        blocks.map { $0.html(title, &rendering) }
    }

    /// An element with parts; without parts it is left out.
    private static func several<Part>(
        _ name: StaticString,
        _ attributes: HTML.Attributes,
        _ parts: [Part],
        _ html: (Part) -> HTML
    ) -> HTML {
        parts.isEmpty ? .several([]) : HTML(name, attributes) { parts.map(html) }
    }
}
