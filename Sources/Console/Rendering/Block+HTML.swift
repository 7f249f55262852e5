extension Block {
    static let template = """
        {{#.blocks}}
        {{#.heading}}
        <h2><bdi>{{.text}}</bdi></h2>
        {{/.heading}}
        {{#.paragraph}}
        <p>{{.text}}</p>
        {{/.paragraph}}
        {{#.notice}}
        {{>notice}}
        {{/.notice}}
        {{#.isFacts}}
        <dl class="facts">
        {{#.facts}}
        <div><dt>{{.label}}</dt><dd>{{#.value}}{{>cell}}{{/.value}}</dd></div>
        {{/.facts}}
        </dl>
        {{/.isFacts}}
        {{#.table}}
        {{>table}}
        {{/.table}}
        {{#.form}}
        {{>form}}
        {{/.form}}
        {{#.chart}}
        {{>chart}}
        {{/.chart}}
        {{#.code}}
        <figure class="code" data-copy>
        <figcaption id="{{.id}}">{{.label}}</figcaption>
        <pre dir="ltr" tabindex="0" role="group" aria-labelledby="{{.id}}"><code>{{.text}}</code></pre>
        </figure>
        {{/.code}}
        {{#.frame}}
        <iframe class="message-preview" sandbox title="{{.title}}" src="{{.path}}"></iframe>
        {{/.frame}}
        {{#.isList}}
        <ul>
        {{#.list}}
        <li>{{>cell}}</li>
        {{/.list}}
        </ul>
        {{/.isList}}
        {{#.links}}
        <nav class="links" aria-label="{{.label}}"><ul>
        {{#.items}}
        <li>{{>link}}</li>
        {{/.items}}
        </ul></nav>
        {{/.links}}
        {{#.isColumns}}
        <div class="columns">
        {{#.columns}}
        <div>
        {{>blocks}}
        </div>
        {{/.columns}}
        </div>
        {{/.isColumns}}
        {{#.details}}
        <details class="more"><summary>{{.summary}}</summary>
        {{>blocks}}
        </details>
        {{/.details}}
        {{#.isToolbar}}
        <div class="toolbar">
        {{#.toolbar}}
        {{>form}}
        {{/.toolbar}}
        </div>
        {{/.isToolbar}}
        {{/.blocks}}

        """

    /// The title of the page names the navigations on it.
    func values(_ title: String, _ rendering: inout Rendering) -> Values {
        switch self {
        case .heading(let text): return ["heading": section(text)]
        case .paragraph(let text): return ["paragraph": section(text)]
        case .notice(let notice): return ["notice": notice.values(rendering)]
        case .facts(let facts):
            let facts: [Values] = facts.map { ["label": $0.label, "value": $0.value.values(&rendering)] }
            return ["isFacts": !facts.isEmpty, "facts": facts]
        case .table(let table): return ["table": table.values(&rendering)]
        case .form(let form): return ["form": form.values(&rendering)]
        case .chart(let chart): return ["chart": chart.values(&rendering)]
        case .code(let label, let text): return ["code": ["id": rendering.id(), "label": label, "text": text] as Values]
        case .frame(let title, let path):
            guard ConsolePath.isSafe(path) else { return [:] }
            return ["frame": ["title": title, "path": path] as Values]
        case .list(let cells): return ["isList": !cells.isEmpty, "list": cells.map { $0.values(&rendering) }]
        case .links(let links): return ["links": ["label": title, "items": links.map(\.values)] as Values]
        case .columns(let columns):
            let columns: [Values] = columns.map { ["blocks": Self.values($0, title, &rendering)] }
            return ["isColumns": !columns.isEmpty, "columns": columns]
        case .details(let summary, let blocks):
            return ["details": ["summary": summary, "blocks": Self.values(blocks, title, &rendering)] as Values]
        case .toolbar(let forms):
            return ["isToolbar": !forms.isEmpty, "toolbar": forms.map { $0.values(&rendering) }]
        }
    }

    static func values(_ blocks: [Block], _ title: String, _ rendering: inout Rendering) -> [Values] {
        blocks.map { $0.values(title, &rendering) }
    }
}
