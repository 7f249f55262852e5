import Messaging

/// What is around the blocks of a page.
enum ConsoleLayout {
    /// The path of the overview.
    static let home = "/console"
    /// The path to which the button that signs out posts.
    static let signOut = "/console/sign-out"

    static let template = """
        <!DOCTYPE html>
        <html lang="{{.language}}" dir="{{.direction}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">
        <title>{{.title}} – {{.product}}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="{{.style}}">
        {{#.scripts}}
        <script type="module" src="{{.}}"></script>
        {{/.scripts}}
        </head>
        <body class="{{.class}}" data-copy="{{.copy}}" data-copied="{{.copied}}" data-confirm-title="{{.confirmTitle}}"\
         data-confirm-continue="{{.confirmContinue}}" data-confirm-cancel="{{.confirmCancel}}" data-select-all="{{.selectAll}}">
        <a class="skip" href="#content">{{.skip}}</a>
        <header class="top">
        <a class="product" href="{{.home}}"><bdi>{{.product}}</bdi></a>
        {{#.project}}
        <span class="project"><bdi>{{.text}}</bdi></span>
        {{/.project}}
        {{#.operator}}
        <details class="operator">
        <summary><bdi>{{.name}}</bdi></summary>
        <div class="card">
        <p>{{.lead}} <strong><bdi>{{.name}}</bdi></strong></p>
        {{#.role}}
        <p class="hint"><bdi>{{.text}}</bdi></p>
        {{/.role}}
        {{#.hasLinks}}
        <ul>
        {{#.links}}
        <li>{{>link}}</li>
        {{/.links}}
        </ul>
        {{/.hasLinks}}
        {{#.signOut}}
        {{>form}}
        {{/.signOut}}
        </div>
        </details>
        {{/.operator}}
        </header>
        {{#.hasBanners}}
        <section class="banners" aria-label="{{.warning}}">
        {{#.banners}}
        <p>{{.}}</p>
        {{/.banners}}
        </section>
        {{/.hasBanners}}
        <div class="frame">
        {{#.menu}}
        <nav class="menu" aria-label="{{.label}}"><details><summary>{{.label}}</summary>
        {{>navigation}}
        </details></nav>
        <nav class="side" aria-label="{{.label}}">
        {{>navigation}}
        </nav>
        {{/.menu}}
        <main id="content" tabindex="-1">
        <h1><bdi>{{.title}}</bdi></h1>
        {{#.notice}}
        {{>notice}}
        {{/.notice}}
        {{>blocks}}
        </main>
        </div>
        </body>
        </html>

        """

    /// It is on a page twice, once for narrow windows, and the style sheet shows one of them.
    static let navigation = """
        {{#.groups}}
        <p class="group">{{.name}}</p>
        <ul>
        {{#.items}}
        <li>{{>link}}</li>
        {{/.items}}
        </ul>
        {{/.groups}}

        """

    static func values(_ page: ConsolePage, _ context: PageContext, _ rendering: inout Rendering) -> Values {
        let texts = context.texts
        var values: Values = [
            "language": context.language.rawValue, "direction": texts.direction, "title": page.title,
            "product": texts["layout.product"], "skip": texts["layout.skip"], "home": home,
            "class": page.isNarrow ? "narrow" : context.navigation.isEmpty ? "plain" : "wide",
            "style": ConsoleAssets.path("console.css"), "scripts": ConsoleAssets.scripts.map(ConsoleAssets.path),
            "copy": texts["code.copy"], "copied": texts["code.copied"], "selectAll": texts["table.selectAll"],
            "confirmTitle": texts["confirm.title"], "confirmContinue": texts["confirm.continue"],
            "confirmCancel": texts["confirm.cancel"], "project": section(context.project),
            "warning": texts["notice.warning"],
        ]
        let banners = (context.isDevelopment ? [texts["layout.development"]] : []) + context.banners
        values["banners"] = banners
        values["hasBanners"] = !banners.isEmpty
        values["operator"] = operatorMenu(context, &rendering) ?? false
        if !page.isNarrow, !context.navigation.isEmpty {
            values["menu"] =
                ["label": texts["layout.navigation"], "groups": groups(context.navigation, current: page.section)] as Values
        }
        if let notice = page.notice { values["notice"] = notice.values(rendering) }
        values["blocks"] = Block.values(page.blocks, page.title, &rendering)
        return values
    }

    private static func operatorMenu(_ context: PageContext, _ rendering: inout Rendering) -> Values? {
        guard let name = context.operatorName else { return nil }
        let signOut = Form(action: signOut, button: context.texts["layout.signOut"])
        return [
            "name": name, "lead": context.texts["layout.operator"], "role": section(context.roleName),
            "hasLinks": !context.operatorLinks.isEmpty, "links": context.operatorLinks.map(\.values),
            "signOut": signOut.values(&rendering),
        ]
    }

    private static func groups(_ items: [NavigationItem], current: ConsoleSection?) -> [Values] {
        var groups: [(name: String, items: [Values])] = []
        for item in items {
            if groups.last?.name != item.group { groups.append((item.group, [])) }
            let link = Link(text: item.label, path: item.path, isCurrent: item.section == current)
            groups[groups.count - 1].items.append(link.values)
        }
        return groups.map { ["name": $0.name, "items": $0.items] }
    }
}
