import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// Whether the browser in which the tasks of operators are done runs scripts. The store's engine makes no difference to it: what
/// screens read and write is tested on every engine without a browser.
struct ConsoleWay: Sendable, CustomTestStringConvertible {
    let hasScripts: Bool

    static let all = [true, false].map { ConsoleWay(hasScripts: $0) }

    var testDescription: String { "\(hasScripts ? "with" : "without") scripts" }
}

/// An operator at a browser, who finds fields by their labels and buttons by their texts.
struct ConsoleStage: Sendable {
    let server: TestServer
    let browser: Chromium
    let page: BrowserPage
    let way: ConsoleWay
    /// Takes what the server sends: web hooks, calls of functions and text messages.
    let hook: LoopbackService
    /// Where the browser keeps downloads.
    let downloads: String
    private let state = LockedState(State())

    private struct State: Sendable {
        var paths: Set<String> = []
        var app: AuthenticatorApp?
    }

    /// What an operator does not find, or what does not happen.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let email = "ada@example.com"
    static let scope = Scope(projectID: "demo-test")
    static let actor = "operator:\(email)"

    /// What is on the server before the first operator comes.
    struct Setting: Sendable {
        var mode = ServerMode.production
        var environment: [String: String] = [:]
        var project: @Sendable (FakeIDP) -> String = { TestServer.phoneProject()($0) }
    }

    /// Starts a server and a browser, which nobody has signed in at. Errors of scripts are failures.
    static func start(_ way: ConsoleWay, _ setting: Setting = Setting()) async throws -> ConsoleStage {
        let hook = try await LoopbackService.start()
        let environment = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": "secret", "POSTERN_EMAIL_TRANSPORT": "log",
        ].merging(ConsoleClient.environment) { $1 }.merging(setting.environment) { $1 }
        let server = try await TestServer.start(
            mode: setting.mode,
            environment: environment,
            project: setting.project
        )
        let browser = try await Chromium.start()
        let downloads = try await makeTemporaryDirectory()
        try Teardown.add { #expect(browser.problems == [], "\(way.testDescription)") }
        try await browser.keepDownloads(in: downloads)
        let page = try await browser.open("about:blank")
        try await page.resize(width: 1280)
        try await page.addAuthenticator()
        try await page.allowScripts(way.hasScripts)
        return ConsoleStage(server: server, browser: browser, page: page, way: way, hook: hook, downloads: downloads)
    }

    // MARK: Finding

    // A text is looked for in the open dialog, or in the smallest part of the page that has the text `part`.
    private static let finding = """
        const text = e => e.textContent.trim().replace(/\\s+/g, ' ');
        const shown = e => e.getClientRects().length > 0;
        const parts = 'tr, form, fieldset, details, .toolbar';
        const root = part => document.querySelector('dialog[open]') ?? (part === null ? document
          : [...document.querySelectorAll(parts)].filter(e => shown(e) && text(e).includes(part))
            .sort((a, b) => text(a).length - text(b).length)[0]);
        const all = (selector, part) => [...root(part)?.querySelectorAll(selector) ?? []].filter(shown);
        const named = (selector, name, part) => all(selector, part).find(e => text(e) === name);
        const field = (name, part) => all('label', part).find(e => text(e).replace(/ \\(required\\)$/, '') === name)?.control
          ?? all('input', part).find(e => e.ariaLabel?.replace(/[\\u2066-\\u2069]/g, '') === name);
        """

    private static func literal(_ text: String?) -> String {
        text.map { JSONValue.string($0).text } ?? "null"
    }

    /// Runs a function body of a script, in which the page can be searched as people do.
    func look(_ script: String) async throws -> JSONValue {
        try await page.run("(() => { \(Self.finding) \(script) })()", once: Self.isWhole)
    }

    private static let isWhole = "document.readyState === 'complete'"

    // Clicks on an element that is in sight, so that whatever covers it is clicked instead and found out.
    private func click(_ name: String, _ element: String, leaves: Bool = false) async throws {
        let place = try await look(
            """
            const found = \(element);
            if (!found) return null;
            found.scrollIntoView({ block: 'center', behavior: 'instant' });
            const box = found.getClientRects()[0], [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            if (!found.contains(document.elementFromPoint(x, y))) return null;
            \(leaves ? "document.documentElement.dataset.left = 'yes';" : "")
            return [x, y];
            """
        )
        guard let x = place.array?[0], let y = place.array?[1] else { throw Failure(description: try await missing(name)) }
        try await page.click(x: x, y: y)
    }

    private func missing(_ name: String) async throws -> String { "no “\(name)” on this page: \(try await text)" }

    /// Waits for the page that follows the one that was left.
    func arrive() async throws {
        let path = try await page.run(
            "location.pathname",
            once: "document.documentElement?.dataset.left === undefined && location.href !== 'about:blank' && \(Self.isWhole)"
        )
        state.withLock { _ = $0.paths.insert(path.string ?? "") }
    }

    // MARK: What the operator does

    /// Opens an address of the console.
    func open(_ path: String) async throws {
        try await page.navigate("http://localhost:\(server.port)\(path)")
        try await arrive()
    }

    /// Follows a link of the navigation.
    func menu(_ name: String) async throws {
        try await click(name, "named('nav.side a', \(Self.literal(name)), null)", leaves: true)
        try await arrive()
    }

    /// Follows a link, in the part of the page that has another text.
    func follow(_ name: String, in part: String? = nil) async throws {
        try await click(name, "named('a', \(Self.literal(name)), \(Self.literal(part)))", leaves: true)
        try await arrive()
    }

    /// Follows a link to a file, and returns what came.
    func download(by link: String, _ file: String) async throws -> String {
        try await click(link, "named('a', \(Self.literal(link)), null)")
        return String(decoding: try await downloaded(file), as: UTF8.self)
    }

    /// Waits for a file to be whole.
    func downloaded(_ file: String) async throws -> Data {
        try await eventually { browser.downloads.contains(file) }
        return try Data(contentsOf: URL(fileURLWithPath: "\(downloads)/\(file)"))
    }

    /// Presses a button, and waits for the next page unless there is none.
    func press(_ name: String, in part: String? = nil, leaves: Bool = true) async throws {
        try await click(name, "named('button', \(Self.literal(name)), \(Self.literal(part)))", leaves: leaves)
        if leaves { try await arrive() }
    }

    /// Presses a red button and says that it is meant: in a dialog, or on a page where there are no scripts.
    func pressTwice(_ name: String, in part: String? = nil, leaves: Bool = true) async throws {
        if way.hasScripts {
            try await press(name, in: part, leaves: false)
            try await page.run("0", once: "document.querySelector('dialog[open]')")
            try await press(name, leaves: leaves)
        } else {
            try await press(name, in: part)
            try await press("Continue", leaves: leaves)
        }
    }

    /// Opens what is folded.
    func unfold(_ name: String) async throws { try await click(name, "named('summary', \(Self.literal(name)), null)") }

    /// Types into a field, in place of what is there.
    func type(_ text: String, into name: String, in part: String? = nil) async throws {
        let element = "field(\(Self.literal(name)), \(Self.literal(part)))"
        try await click(name, element)
        _ = try await look("\(element).select()")
        try await page.type(text)
    }

    /// Clicks on a box.
    func tick(_ name: String, in part: String? = nil) async throws {
        try await click(name, "field(\(Self.literal(name)), \(Self.literal(part)))")
    }

    /// Chooses from a list.
    func choose(_ option: String, from name: String, in part: String? = nil) async throws {
        let found = try await look(
            """
            const list = field(\(Self.literal(name)), \(Self.literal(part)));
            const option = [...list?.options ?? []].find(e => text(e) === \(Self.literal(option)));
            if (option) { list.focus(); option.selected = true; }
            return Boolean(option);
            """
        )
        guard found == true else { throw Failure(description: try await missing(option)) }
    }

    // MARK: What the operator sees

    /// The text of the page's main part.
    var text: String {
        get async throws { try await look("return document.querySelector('main')?.innerText ?? ''").string ?? "" }
    }

    /// Judges the page by a text that must be there.
    func sees(_ wanted: String, _ location: SourceLocation = #_sourceLocation) async throws {
        let shown = try await text
        #expect(shown.contains(wanted), "\(shown)", sourceLocation: location)
    }

    /// A text in the style of code, after its label.
    func code(_ label: String) async throws -> String {
        let found = try await look(
            """
            return [...document.querySelectorAll('figure')].find(e => text(e.querySelector('figcaption')).startsWith(\
            \(Self.literal(label))))?.querySelector('code').textContent
            """
        )
        guard let code = found.string else { throw Failure(description: try await missing(label)) }
        return code
    }

    /// The value beside a label.
    func fact(_ label: String) async throws -> String {
        let found = try await look(
            "return [...document.querySelectorAll('dt')].find(e => text(e) === \(Self.literal(label)))?.nextElementSibling.innerText"
        )
        guard let value = found.string else { throw Failure(description: try await missing(label)) }
        return value
    }

    // MARK: The operator's factors

    /// Puts the secret that the page shows into the authenticator app.
    func addToApp() async throws {
        let app = AuthenticatorApp(sharedSecretKey: try await code("Secret"))
        state.withLock { $0.app = app }
    }

    /// The authenticator app, half a minute later, since no code is taken twice.
    func nextApp() throws -> AuthenticatorApp {
        server.clock.advance(by: .seconds(30))
        return try #require(state.withLock { $0.app })
    }

    /// The next code of the authenticator app.
    func nextCode() throws -> String { try nextApp().code(at: server.clock.now) }

    // MARK: Judging

    /// Forgets where the operator has been, and says where that was.
    func takePaths() -> Set<String> {
        state.withLock { state in
            defer { state.paths = [] }
            return state.paths
        }
    }
}
