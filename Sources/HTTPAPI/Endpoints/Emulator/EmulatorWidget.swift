import Accounts
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import Storage

/// `GET /emulator/auth/handler`: the account picker that replaces identity providers' pages in development
/// (`Docs/Contract/emulator-endpoints.md` §4).
struct EmulatorWidget: Sendable {
    let browser: AccountBrowser
    let auth: CallerAuth
    let environment: ServerEnvironment

    private static let operation = Operation(
        name: "EmulatorWidget",
        summary: "The page that stands in for an identity provider.",
        query: ["apiKey": .string, "providerId": .string, "tid": .string, "tenantId": .string],
        answers: [200: .html],
        error: .html
    )

    func add(to table: inout RouteTable) {
        table.add(.get, "/emulator/auth/handler", Self.operation) { request, _ in
            let parameters = HandlerParameters(request.uri.query ?? "")
            guard let apiKey = parameters["apiKey"], let providerID = parameters["providerId"] else {
                let text = #"{"authEmulator":{"error":"missing apiKey or providerId query parameters"}}"#
                let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
                return Response(status: .badRequest, headers: [.contentType: HTML.contentType], body: body)
            }
            let scope = try auth.scope(apiKey: apiKey, tenant: parameters["tenantId"] ?? parameters["tid"])
            return widget(providerID, try await browser.identities(of: providerID, scope: scope))
        }
    }

    private func widget(_ providerID: String, _ identities: [IdentityRecord]) -> Response {
        let nonce = PageNonce.text(environment)
        var headers: HTTPFields = [
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'
            """
        ]
        headers.append(contentsOf: Page.headers)
        return Self.html(providerID, nonce: nonce, identities).response(.ok, headers)
    }
}
