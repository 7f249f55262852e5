import Foundation
import HTTPAPI
import Messaging
import Testing

@testable import Console

private let previewFolder = ProcessInfo.processInfo.environment["POSTERN_CONSOLE_PREVIEW"]

/// Writes pages to look at into the folder that `POSTERN_CONSOLE_PREVIEW` names; a web server over that folder shows them.
@Suite("Preview of the console", .enabled(if: previewFolder != nil))
struct PreviewTests {
    @Test("a page with every component and a narrow one are written", arguments: EmailLanguage.allCases)
    func write(language: EmailLanguage) throws {
        let folder = URL(filePath: try #require(previewFolder))
        let all = EveryComponent()
        var context = try all.context(language)
        let wide = ConsoleLayout.html(all.page, context).document
        try Data(wide.utf8).write(to: folder.appending(path: "\(language.rawValue).html"))
        context.operatorName = nil
        let fields = [Field(name: "email", label: "E-mail address", kind: .email, isRequired: true, autocomplete: "username")]
        let passkey = Form.Passkey(ceremony: .get, options: "{\"challenge\":\"AAAA\"}")
        let narrow = ConsolePage(
            title: "Sign in to the console",
            blocks: [
                .paragraph("Use the passkey that you made when you were invited."),
                .form(Form(action: "/console/sign-in", fields: fields, button: "Sign in with a passkey", passkey: passkey)),
            ],
            isNarrow: true
        )
        let html = ConsoleLayout.html(narrow, context).document
        try Data(html.utf8).write(to: folder.appending(path: "\(language.rawValue)-narrow.html"))
        let assets = folder.appending(path: String(ConsoleAssets.path("").dropFirst()))
        try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
        for name in ["console.css"] + ConsoleAssets.scripts {
            let source = URL(filePath: #filePath).appending(path: "../../../Sources/Console/Assets/\(name)").standardized
            try Data(contentsOf: source).write(to: assets.appending(path: name))
        }
    }
}
