import HTTPAPI
import Messaging

/// What is around the blocks of a page.
enum ConsoleLayout {
    /// The path of the overview.
    static let home = "/console"
    /// The path to which the button that signs out posts.
    static let signOut = "/console/sign-out"

    static func html(_ page: ConsolePage, _ context: PageContext) -> HTML {
        var rendering = Rendering(texts: context.texts, csrf: context.csrf)
        return HTML("html", ["lang": context.language.rawValue, "dir": context.texts.direction]) {
            HTML("head") { head(page.title, context.texts) }
            HTML("body", bodyAttributes(page, context)) {
                HTML("a", ["class": "skip", "href": "#content"], context.texts["layout.skip"])
                header(context, &rendering)
                banners(context)
                HTML("div", ["class": "frame"]) {
                    if !page.isNarrow, !context.navigation.isEmpty { menu(context, current: page.section) }
                    HTML("main", ["id": "content", "tabindex": "-1"]) {
                        HTML("h1") { HTML("bdi", page.title) }
                        if let notice = page.notice { notice.html(context.texts) }
                        Block.html(page.blocks, page.title, &rendering)
                    }
                }
            }
        }
    }

    private static func head(_ title: String, _ texts: ConsoleTexts) -> [HTML] {
        [
            HTML("meta", ["charset": "utf-8"]),
            HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            HTML("meta", ["name": "robots", "content": "noindex"]),
            HTML("meta", ["name": "color-scheme", "content": "light dark"]),
            HTML("title", "\(title) – \(texts["layout.product"])"),
            HTML("link", ["rel": "icon", "href": "data:,"]),
            HTML("link", ["rel": "stylesheet", "href": ConsoleAssets.path("console.css")]),
        ] + ConsoleAssets.scripts.map { HTML("script", ["type": "module", "src": ConsoleAssets.path($0)]) }
    }

    private static func bodyAttributes(_ page: ConsolePage, _ context: PageContext) -> HTML.Attributes {
        let texts = context.texts
        return [
            "class": page.isNarrow ? "narrow" : context.navigation.isEmpty ? "plain" : "wide", "data-copy": texts["code.copy"],
            "data-copied": texts["code.copied"], "data-confirm-title": texts["confirm.title"],
            "data-confirm-continue": texts["confirm.continue"], "data-confirm-cancel": texts["confirm.cancel"],
            "data-select-all": texts["table.selectAll"],
        ]
    }

    private static func header(_ context: PageContext, _ rendering: inout Rendering) -> HTML {
        HTML("header", ["class": "top"]) {
            HTML("a", ["class": "product", "href": home]) { HTML("bdi", context.texts["layout.product"]) }
            if let project = context.project { HTML("span", ["class": "project"]) { HTML("bdi", project) } }
            if let name = context.operatorName { operatorMenu(name, context, &rendering) }
        }
    }

    private static func operatorMenu(_ name: String, _ context: PageContext, _ rendering: inout Rendering) -> HTML {
        HTML("details", ["class": "operator"]) {
            HTML("summary") { HTML("bdi", name) }
            HTML("div", ["class": "card"]) {
                HTML("p") {
                    context.texts["layout.operator"] + " "
                    HTML("strong") { HTML("bdi", name) }
                }
                if let role = context.roleName { HTML("p", ["class": "hint"]) { HTML("bdi", role) } }
                if !context.operatorLinks.isEmpty { list(context.operatorLinks) }
                Form(action: signOut, button: context.texts["layout.signOut"]).html(&rendering)
            }
        }
    }

    private static func banners(_ context: PageContext) -> HTML {
        let banners = (context.isDevelopment ? [context.texts["layout.development"]] : []) + context.banners
        if banners.isEmpty { return .several([]) }
        return HTML("section", ["class": "banners", "aria-label": context.texts["notice.warning"]]) {
            banners.map { HTML("p", $0) }
        }
    }

    /// The navigation is on a page twice, once for narrow windows, and the style sheet shows one of them.
    private static func menu(_ context: PageContext, current: ConsoleSection?) -> [HTML] {
        let label = context.texts["layout.navigation"]
        let navigation = groups(context.navigation, current)
        return [
            HTML("nav", ["class": "menu", "aria-label": label]) {
                HTML("details") {
                    HTML("summary", label)
                    navigation
                }
            },
            HTML("nav", ["class": "side", "aria-label": label]) { navigation },
        ]
    }

    private static func groups(_ items: [NavigationItem], _ current: ConsoleSection?) -> [HTML] {
        var groups: [(name: String, links: [Link])] = []
        for item in items {
            if groups.last?.name != item.group { groups.append((item.group, [])) }
            let link = Link(text: item.label, path: item.path, isCurrent: item.section == current)
            groups[groups.count - 1].links.append(link)
        }
        return groups.flatMap { group in [HTML("p", ["class": "group"], group.name), list(group.links)] }
    }

    private static func list(_ links: [Link]) -> HTML {
        HTML("ul") { links.map { link in HTML("li") { link.html } } }
    }
}
