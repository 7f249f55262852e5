import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

/// An operator's browser without scripts: it keeps the session's cookie and the token of forms.
final class ConsoleClient: Sendable {
    static let password = "correct horse battery staple"

    /// The settings with which the public listener serves the console.
    static let environment = ["POSTERN_CONSOLE_PUBLIC": "true"]

    let server: TestServer
    let email: String
    private let app: AuthenticatorApp
    private let state: LockedState<State>

    private struct State: Sendable {
        var cookie: String?
        var formToken: String?
    }

    private init(_ server: TestServer, email: String, app: AuthenticatorApp) {
        self.server = server
        self.email = email
        self.app = app
        state = LockedState(State())
    }

    /// The value of the session's cookie; `nil` without a session.
    var cookie: String? {
        get { state.withLock { $0.cookie } }
        set { state.withLock { $0.cookie = newValue } }
    }

    /// The operator of the session, as the use cases know them.
    func person() async throws -> ConsoleOperator {
        let request = CallContext(scope: Scope(projectID: "demo-test"))
        return try await server.core.useCases.console.sessions.current(try #require(cookie), from: request)
    }

    /// The token of the session's forms, as the last page had it.
    var formToken: String? { state.withLock { $0.formToken } }

    /// A page or redirect of the console.
    struct Page: Sendable {
        let answer: TestClient.Answer

        var status: Int { answer.status }
        var html: String { String(decoding: answer.bytes, as: UTF8.self) }
        var location: String? { answer.header("Location") }
        /// The heading, as HTML.
        var title: String? { html.firstMatch(of: /<h1[^>]*>(.*?)<\/h1>/).map { String($0.1) } }

        /// The hidden fields of all forms, in order.
        var fields: [(String, String)] {
            html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { (String($0.1), String($0.2)) }
        }

        /// The first hidden field of a name.
        func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    }

    /// Makes an operator with a password and an authenticator app.
    ///
    /// - Parameters:
    ///   - server: A server that has the console on its public listener, see ``environment``.
    ///   - role: The role.
    ///   - tenantID: The one tenant to work in.
    ///   - email: The address; one that names the role unless told otherwise.
    /// - Returns: The operator's browser, signed in.
    static func enroll(
        _ server: TestServer,
        role: OperatorRole = .owner,
        tenantID: String? = nil,
        email: String? = nil
    ) async throws -> ConsoleClient {
        let email = email ?? "\(role.rawValue)@example.com"
        let invitations = server.core.useCases.console.invitations
        let code = try await invitations.invite(email, role: role, tenantID: tenantID, actor: "cli")
        return try await accept(code, email: email, on: server)
    }

    /// Accepts an invitation.
    static func accept(_ code: String, email: String, on server: TestServer) async throws -> ConsoleClient {
        let page = Page(answer: try await server.client.get("/console/invitation?code=\(code)&email=\(email)"))
        try #require(page.status == 200, "\(page.html)")
        let secret = try #require(page.html.firstMatch(of: /<code>([A-Z2-7]{32})<\/code>/).map { String($0.1) })
        let browser = ConsoleClient(server, email: email, app: try #require(AuthenticatorApp(sharedSecretKey: secret)))
        let done = try await browser.post(
            "/console/invitation",
            [
                ("invitation", code), ("email", email), ("way", "password"), ("password", password),
                ("offer", try #require(page.field("offer"))), ("code", browser.code),
            ]
        )
        try #require(done.status == 303, "\(done.html)")
        return browser
    }

    /// Signs an operator in at another browser.
    static func signIn(_ server: TestServer, email: String, app: AuthenticatorApp) async throws -> ConsoleClient {
        let browser = ConsoleClient(server, email: email, app: app)
        let page = try await browser.signIn()
        try #require(page.status == 303, "\(page.html)")
        return browser
    }

    /// The code that the operator's app shows now.
    var code: String { app.code(at: server.clock.now) }

    /// The headers of a browser that sends a form of the console's own page.
    static func ownHeaders(_ server: TestServer) -> [(String, String)] {
        [("Origin", server.client.base), ("Sec-Fetch-Site", "same-origin")]
    }

    /// Opens a page.
    func get(_ path: String, headers: [(String, String)] = []) async throws -> Page {
        keep(Page(answer: try await server.client.get(path, headers: cookies + headers)))
    }

    /// Sends a form of the console with the token of the session.
    ///
    /// - Parameters:
    ///   - path: The form's action.
    ///   - fields: Its fields besides the token.
    ///   - headers: What the browser says of the sender; as for the console's own pages unless told otherwise.
    func post(_ path: String, _ fields: [(String, String)], headers: [(String, String)]? = nil) async throws -> Page {
        let token = formToken.map { [("csrf", $0)] } ?? []
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let body = Data(TestClient.encode(token + fields).utf8)
        let sender = headers ?? Self.ownHeaders(server)
        return keep(Page(answer: try await server.client.send("POST", path, headers: type + cookies + sender, body: body)))
    }

    /// Opens a page of the configuration and sends its form, with the mark of what the page shows.
    func save(_ path: String, _ fields: [(String, String)]) async throws -> Page {
        let tenant = fields.first { $0.0 == "tenant" }.map { "?tenant=\($0.1)" } ?? ""
        let mark = try await get(path + tenant).field("shown").map { [("shown", $0)] } ?? []
        return try await post(path, mark + fields)
    }

    /// Proves password and code again, half a minute later, since no code is taken twice.
    func confirm() async throws {
        server.clock.advance(by: .seconds(30))
        _ = try await get("/console/confirm")
        let page = try await post("/console/confirm", [("way", "password"), ("password", Self.password), ("code", code)])
        try #require(page.status == 303, "\(page.html)")
        _ = try await get("/console/profile")
    }

    /// Signs in again with password and code.
    func signIn(password: String = password, code: String? = nil) async throws -> Page {
        cookie = nil
        return try await post(
            "/console/sign-in",
            [("way", "password"), ("email", email), ("password", password), ("code", code ?? self.code)]
        )
    }

    private var cookies: [(String, String)] { cookie.map { [("Cookie", "__Host-postern-console=\($0)")] } ?? [] }

    private func keep(_ page: Page) -> Page {
        state.withLock { state in
            for header in page.answer.headers where header.name.lowercased() == "set-cookie" {
                guard let match = header.value.firstMatch(of: /^__Host-postern-console=([^;]*);/) else { continue }
                state.cookie = match.1.isEmpty ? nil : String(match.1)
            }
            if let token = page.field("csrf") { state.formToken = token }
        }
        return page
    }
}
