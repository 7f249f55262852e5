import Accounts
import HTTPTypes
import Hummingbird
import Messaging
import Mustache
import NIOCore
import Project
import Storage

/// `GET /emulator/auth/handler`: the account picker that replaces identity providers' pages in development
/// (`Docs/Contract/emulator-endpoints.md` §4).
struct EmulatorWidget: Sendable {
    let browser: AccountBrowser
    let auth: CallerAuth
    let environment: ServerEnvironment
    private let template = try? MustacheTemplate(
        string: "{{% CONTENT_TYPE:TEXT}}" + String(decoding: PackageResources.widget_html, as: UTF8.self)
    )

    init(browser: AccountBrowser, auth: CallerAuth, environment: ServerEnvironment) {
        self.browser = browser
        self.auth = auth
        self.environment = environment
    }

    private static let operation = Operation(
        name: "EmulatorWidget",
        summary: "The page that stands in for an identity provider.",
        query: ["apiKey": .string, "providerId": .string, "tid": .string, "tenantId": .string],
        answers: [200: .html],
        error: .html
    )

    /// Adds the route.
    func add(to table: inout RouteTable) {
        table.add(.get, "/emulator/auth/handler", Self.operation) { request, _ in
            let parameters = HandlerParameters(request.uri.query ?? "")
            guard let apiKey = parameters["apiKey"], let providerID = parameters["providerId"] else {
                return Self.html(
                    #"{"authEmulator":{"error":"missing apiKey or providerId query parameters"}}"#,
                    status: .badRequest
                )
            }
            let scope = try auth.scope(apiKey: apiKey, tenant: parameters["tenantId"] ?? parameters["tid"])
            return try widget(providerID, try await browser.identities(of: providerID, scope: scope))
        }
    }

    private func widget(_ providerID: String, _ identities: [IdentityRecord]) throws -> Response {
        guard let template else { throw TransportError.internalError }
        let nonce = PageNonce.text(environment)
        let help =
            identities.isEmpty
            ? "No \(providerID) accounts exist in the emulator." : "Please select an existing account or add a new one."
        let values: [String: Any] = [
            "nonce": nonce, "style": PageLayout.style, "provider": HTMLText.escape(providerID), "help": HTMLText.escape(help),
            "script": String(decoding: PackageResources.widget_js, as: UTF8.self), "accounts": identities.map(Self.account),
        ]
        var headers: HTTPFields = [
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'
            """
        ]
        headers.append(contentsOf: PageRenderer.headers)
        return Self.html(template.render(values), headers: headers)
    }

    private static func account(_ identity: IdentityRecord) -> [String: Any] {
        var claims: JSONValue = [
            "sub": .string(identity.rawID), "iss": "", "aud": "", "exp": 0, "iat": 0,
            "email": .string(identity.email ?? ""), "email_verified": true,
        ]
        if let name = identity.displayName { claims["name"] = .string(name) }
        if let name = identity.screenName { claims["screen_name"] = .string(name) }
        if let photo = identity.photoURL { claims["picture"] = .string(photo) }
        return [
            "claims": PercentEncoding.encode(claims.text), "name": HTMLText.escape(identity.displayName ?? "(No display name)"),
            "email": HTMLText.escape(identity.email ?? ""),
        ]
    }

    private static func html(_ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var fields = headers
        fields[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
