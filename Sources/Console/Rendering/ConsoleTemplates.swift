import Mustache

/// The templates of the console: one for each view and one for the page around them.
enum ConsoleTemplates {
    /// The template of a page, which holds the others.
    static let page = "page"

    static let all = [
        page: ConsoleLayout.template, "navigation": ConsoleLayout.navigation, "blocks": Block.template, "notice": Notice.template,
        "cell": Cell.template, "link": Link.template, "table": Table.template, "form": Form.template,
        "hidden": Form.hiddenTemplate, "button": Button.template, "field": Field.template, "attributes": Field.attributes,
        "chart": Chart.template,
    ]

    /// Reads the templates.
    static func library() throws -> MustacheLibrary {
        MustacheContentTypes.register(ConsoleHTML(), named: ConsoleHTML.name)
        // Mustache begins every template with its own escape.
        return MustacheLibrary(
            templates: try all.mapValues { try MustacheTemplate(string: "{{% CONTENT_TYPE:\(ConsoleHTML.name)}}" + $0) }
        )
    }
}
