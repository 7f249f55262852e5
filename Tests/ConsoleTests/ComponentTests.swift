import Foundation
import HTTPAPI
import Messaging
import Project
import Testing

@testable import Console

@Suite("Components of screens")
struct ComponentTests {
    private static func tree(_ blocks: [Block], csrf: String? = nil) throws -> HTMLTree {
        let context = PageContext(texts: try ConsoleTexts.of(.english), csrf: csrf)
        return try HTMLTree(ConsoleLayout.html(ConsolePage(title: "Test", blocks: blocks), context).document)
    }

    private static func everything(_ language: EmailLanguage = .english) throws -> HTMLTree {
        let all = EveryComponent()
        return try HTMLTree(ConsoleLayout.html(all.page, try all.context(language)).document)
    }

    @Test("an id is on a page once, and what refers to ids finds them", arguments: EmailLanguage.allCases)
    func ids(language: EmailLanguage) throws {
        let tree = try Self.everything(language)
        let ids = tree.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let references = ["for", "form", "aria-describedby", "aria-labelledby"]
        let used = tree.elements.flatMap { element in
            references.compactMap { element.attributes[$0] }.flatMap { $0.split(separator: " ").map(String.init) }
        }
        #expect(used.count > 20)
        #expect(Set(used).subtracting(ids) == [])
    }

    @Test("every field that is seen has a name that is heard")
    func labels() throws {
        let tree = try Self.everything()
        let labelled = Set(tree["label"].compactMap { $0.attributes["for"] })
        let fields = tree.elements.filter {
            ["input", "select", "textarea"].contains($0.name) && $0.attributes["type"] != "hidden"
        }
        #expect(fields.count == 18)
        for field in fields {
            let hasLabel = field.attributes["id"].map(labelled.contains) ?? false
            #expect(hasLabel || field.attributes["aria-label"]?.isEmpty == false)
        }
    }

    @Test("a field says its hint and its problem, and one without has none of them")
    func hints() throws {
        let fields = [
            Field(name: "a", label: "A", hint: "Hint of A", error: "Problem of A", isRequired: true, maximumLength: 5),
            Field(name: "b", label: "B"),
        ]
        let tree = try Self.tree([.form(Form(action: "/console", fields: fields, button: "Save", legend: "Legend"))])
        let inputs = tree["input"].filter { $0.attributes["type"] == "text" }
        let described = try #require(inputs.first?.attributes["aria-describedby"]).split(separator: " ").map(String.init)
        #expect(described.map { id in tree.elements.first { $0.attributes["id"] == id }?.text } == ["Hint of A", "Problem of A"])
        #expect(inputs.map { $0.attributes["aria-invalid"] } == ["true", nil])
        #expect(inputs.map { $0.attributes["required"] } == ["", nil])
        #expect(inputs.map { $0.attributes["maxlength"] } == ["5", nil])
        #expect(inputs.last?.attributes["aria-describedby"] == nil)
        #expect(tree["p"].filter { $0.attributes["class"] == "hint" || $0.attributes["class"] == "problem" }.count == 2)
    }

    @Test("no element has a style or a handler of its own")
    func attributes() throws {
        for element in try Self.everything().elements {
            #expect(!element.attributes.keys.contains { $0 == "style" || $0.hasPrefix("on") }, "\(element.name)")
        }
    }

    @Test("a posted form carries the session's token, and one that asks does not")
    func tokens() throws {
        let all = EveryComponent()
        let html = ConsoleLayout.html(all.page, try all.context()).document
        let tree = try HTMLTree(html)
        for (index, form) in tree.elements.enumerated() where form.name == "form" {
            let tokens = tree.elements.filter { $0.ancestors.contains(index) && $0.attributes["name"] == "csrf" }
            let expected = form.attributes["method"] == "post" ? ["token-of-the-session"] : []
            #expect(tokens.map { $0.attributes["value"] } == expected)
        }
        #expect(tree["form"].filter { $0.attributes["method"] == "get" }.count == 1)
        #expect(try Self.tree([.form(Form(action: "/console", button: "Go"))])["input"].isEmpty)
    }

    @Test("a form holds no other form")
    func nesting() throws {
        let tree = try Self.everything()
        for form in tree["form"] { #expect(!form.ancestors.contains { tree.elements[$0].name == "form" }) }
    }

    @Test("a password never goes back to the browser, and what cannot be changed is still sent")
    func values() throws {
        let fields = [
            Field(name: "secret", label: "S", kind: .password, value: "hunter2"),
            Field(name: "fixed", label: "F", kind: .checkbox, value: "on", isReadOnly: true),
            Field(name: "empty", label: "E", kind: .checkbox, isReadOnly: true),
        ]
        let tree = try Self.tree([.form(Form(action: "/console", fields: fields, button: "Save"))])
        #expect(!tree.texts.contains { $0.contains("hunter2") })
        let hidden = tree["input"].filter { $0.attributes["type"] == "hidden" }
        #expect(hidden.map { $0.attributes["name"] } == ["fixed"])
        #expect(hidden.map { $0.attributes["value"] } == ["on"])
    }

    @Test("a text area keeps the line that its text begins with")
    func textArea() throws {
        let field = Field(name: "a", label: "A", kind: .textArea(rows: 3), value: "\n  two")
        let tree = try Self.tree([.form(Form(action: "/console", fields: [field], button: "Save"))])
        // Browsers drop the first line end of the element (HTML §13.2.6.4.7).
        #expect(tree["textarea"].first?.text == "\n\n  two")
    }

    @Test("a form with a file is sent in parts")
    func file() throws {
        let field = Field(name: "file", label: "File", kind: .file(accept: ".csv"))
        let tree = try Self.tree([.form(Form(action: "/console", fields: [field], button: "Send"))])
        #expect(tree["form"].first?.attributes["enctype"] == "multipart/form-data")
        #expect(tree["input"].first?.attributes["accept"] == ".csv")
    }

    @Test("errors are told at once and other notices when there is time")
    func notices() throws {
        let tree = try Self.tree(Notice.Kind.allCases.map { .notice(Notice(kind: $0, text: "x")) })
        let roles = tree["div"].compactMap { $0.attributes["role"] }
        #expect(roles == ["status", "status", "status", "alert"])
    }

    @Test("a table names its columns, rows and box, and says when it is empty")
    func table() throws {
        let full = Table(
            caption: "Users",
            columns: ["Name", "Number"],
            rows: [[.text("Ann"), .number(1234)]],
            emptyText: "Nobody"
        )
        let tree = try Self.tree([.table(full), .table(Table(caption: "None", columns: ["A"], rows: [], emptyText: "Nobody"))])
        #expect(tree["th"].map { $0.attributes["scope"] } == ["col", "col", "row", "col"])
        #expect(tree["th"].map { $0.attributes["class"] } == [nil, "end", nil, nil])
        #expect(tree["caption"].map(\.text) == ["Users", "None"])
        #expect(tree["p"].filter { $0.attributes["class"] == "empty" }.map(\.text) == ["Nobody"])
        let boxes = tree["div"].filter { $0.attributes["class"] == "scroll" }
        #expect(boxes.map { $0.attributes["tabindex"] } == ["0", "0"])
    }

    @Test("the boxes of a selection belong to its form and say which row they are of")
    func selection() throws {
        let tree = try Self.everything()
        let boxes = tree["input"].filter { $0.attributes["form"] != nil }
        let form = try #require(tree["form"].first { $0.attributes["class"] == "selection" })
        #expect(Set(boxes.map { $0.attributes["form"] }) == [form.attributes["id"]])
        #expect(boxes.map { $0.attributes["value"] } == (0..<6).map { "u\($0)" })
        #expect(boxes.first?.attributes["aria-label"] == "Select User 0")
    }

    @Test("a dangerous button has a question, and others have none")
    func questions() throws {
        let forms = [
            Form(action: "/console", button: "One", isDangerous: true),
            Form(action: "/console", button: "Two", isDangerous: true, confirmation: "Sure?"),
            Form(action: "/console", button: "Three"),
        ]
        let buttons = try Self.tree([.toolbar(forms)])["button"]
        #expect(buttons.map { $0.attributes["data-confirm"] } == ["This cannot be undone.", "Sure?", nil])
    }

    @Test("a form with a passkey has what its script needs")
    func passkey() throws {
        let passkey = Form.Passkey(ceremony: .get, options: "{\"challenge\":\"AA\"}")
        let tree = try Self.tree([.form(Form(action: "/console/sign-in", button: "Sign in", passkey: passkey))], csrf: "t")
        let form = try #require(tree["form"].first)
        #expect(form.attributes["data-options"] == "{\"challenge\":\"AA\"}")
        #expect(["data-failed", "data-cancelled", "data-unsupported"].allSatisfy { form.attributes[$0]?.isEmpty == false })
        #expect(tree["button"].map { $0.attributes["data-passkey"] } == ["get"])
        #expect(tree["input"].map { $0.attributes["name"] } == ["csrf", "response"])
        #expect(tree["noscript"].count == 1)
    }

    @Test("the current item is marked in the navigation of both widths, and on no other item")
    func navigation() throws {
        let tree = try Self.everything()
        let current = tree["a"].filter { $0.attributes["aria-current"] == "page" }
        #expect(current.map { $0.attributes["href"] } == ["/console/users", "/console/users", "/console/users/1"])
    }

    @Test("a page before a sign-in has no navigation and no menu")
    func narrow() throws {
        var context = try EveryComponent().context()
        context.operatorName = nil
        let tree = try HTMLTree(ConsoleLayout.html(ConsolePage(title: "Sign in", isNarrow: true), context).document)
        #expect(tree["nav"].isEmpty && tree["details"].isEmpty && tree["form"].isEmpty)
        #expect(tree["h1"].count == 1 && tree["main"].count == 1)
    }

    @Test("times are exact for machines, and numbers have groups")
    func cells() throws {
        let cells: [Cell] = [.time(.init(seconds: 1_704_164_645)), .number(-1_234_567), .number(12), .number(.min)]
        let tree = try Self.tree([.list(cells)])
        #expect(tree["time"].map(\.text) == ["2024-01-02 03:04"])
        #expect(tree["time"].map { $0.attributes["datetime"] } == ["2024-01-02T03:04:05.000Z"])
        let groups = tree["span"].filter { $0.attributes["class"] == "number" }.map { $0.text.replacing("\u{202F}", with: " ") }
        #expect(groups == ["-1 234 567", "12", "-9 223 372 036 854 775 808"])
    }

    @Test("the page is in the language and direction of its texts", arguments: EmailLanguage.allCases)
    func language(language: EmailLanguage) throws {
        let html = try #require(try Self.everything(language)["html"].first)
        #expect(html.attributes["lang"] == language.rawValue)
        #expect(html.attributes["dir"] == (language == .arabic ? "rtl" : "ltr"))
    }
}
