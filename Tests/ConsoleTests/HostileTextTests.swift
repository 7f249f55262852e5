import HTTPAPI
import Messaging
import Testing

@testable import Console

@Suite("Hostile texts in screens")
struct HostileTextTests {
    static let hostile = [
        "\"><script>alert(1)</script>", "' onmouseover='alert(1)", "</title></textarea></script><img src=x onerror=alert(1)>",
        "{{x}}{{{csrf}}}{{>page}}", "\u{202E}\u{2066}evil\u{202C}", "\"\u{301} onfocus=\u{301}\"x", "<\u{338}b>",
        "\u{600}<b>\u{600}\"x=\u{600}'",
        "&lt;&amp;&#39;",
        "a\0b\u{1B}[31m", "]]> --> <!--", "`${1}`", String(repeating: "ß<", count: 3500),
    ]

    /// What a page shows of a text: control characters are replaced, and a text in a sentence loses the controls of direction.
    private static func shown(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
            scalars.append(scalar.value < 0x20 && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }

    private static func places(_ text: String, _ tree: HTMLTree) -> Int {
        let wanted = Array(shown(text).utf8)
        return tree.texts.reduce(0) { $0 + count(of: wanted, in: Array(shown($1).utf8)) }
    }

    private static func count(of wanted: [UInt8], in bytes: [UInt8]) -> Int {
        var (count, index) = (0, 0)
        while index + wanted.count <= bytes.count {
            if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) {
                count += 1
                index += wanted.count
            } else {
                index += 1
            }
        }
        return count
    }

    private static func tree(_ text: String) throws -> HTMLTree {
        let all = EveryComponent(text: { _ in text })
        return try HTMLTree(ConsoleLayout.html(all.page, try all.context()).document)
    }

    @Test("a text changes no element and no attribute, and stands as it is in every place", arguments: hostile)
    func structure(text: String) throws {
        let (own, harmless) = (try Self.tree(text), try Self.tree("§harmless§"))
        #expect(own.structure == harmless.structure)
        #expect(Self.places(text, own) == Self.places("§harmless§", harmless))
    }

    @Test("every place of every component is filled by the screen of the tests")
    func everyPlace() throws {
        // The number falls when a template forgets a value; each place is counted with the repetitions of its component.
        #expect(Self.places("§harmless§", try Self.tree("§harmless§")) > 300)
    }

    @Test("texts of users are isolated from the direction of what surrounds them")
    func isolation() throws {
        let all = EveryComponent(text: { _ in "\u{202E}user" })
        let tree = try HTMLTree(ConsoleLayout.html(all.page, try all.context(.arabic)).document)
        // A block, a bdi and a given direction isolate (HTML §15.3.5); elsewhere only the console's own texts may stand.
        let isolating: Set = [
            "title", "p", "h1", "h2", "bdi", "dt", "dd", "td", "th", "li", "caption", "figcaption", "legend", "label", "summary",
            "desc", "button", "option", "textarea",
        ]
        for element in tree.elements where element.text.contains("\u{202E}") {
            let isDirected = ["auto", "ltr"].contains(element.attributes["dir"])
            #expect(isolating.contains(element.name) || isDirected || element.name == "code")
        }
        #expect(tree["bdi"].filter { $0.text == "\u{202E}user" }.count > 20)
    }

    @Test(
        "an address that leads elsewhere becomes no link and no target of a form",
        arguments: [
            "javascript:alert(1)", "https://example.com/", "//example.com", "/\\example.com", "/\t/example.com",
            "\\\\example.com",
            "/\n/example.com", " /console", "data:text/html,x", "console", "", "/a b",
        ]
    )
    func addresses(path: String) throws {
        let page = ConsolePage(
            title: "x",
            blocks: [
                .links([Link(text: "leads away", path: path)]), .list([.link(text: "leads away", path: path)]),
                .form(Form(action: path, button: "Send")),
            ]
        )
        let tree = try HTMLTree(ConsoleLayout.html(page, PageContext(texts: try ConsoleTexts.of(.english))).document)
        #expect(tree["a"].compactMap { $0.attributes["href"] } == ["#content", "/console"])
        #expect(tree["form"].map { $0.attributes["action"] } == ["#"])
        #expect(tree["bdi"].filter { $0.text == "leads away" }.count == 2)
    }

    @Test("addresses of this server are links", arguments: ["/console", "/console/users?q=%3Cb%3E&x='", "?after=2", "#top", "/"])
    func ownAddresses(path: String) throws {
        let page = ConsolePage(title: "x", blocks: [.list([.link(text: "stays", path: path)])])
        let tree = try HTMLTree(ConsoleLayout.html(page, PageContext(texts: try ConsoleTexts.of(.english))).document)
        #expect(tree["a"].last?.attributes["href"] == path)
    }
}
