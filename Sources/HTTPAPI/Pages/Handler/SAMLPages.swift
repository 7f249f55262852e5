import Accounts
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Project

/// The pages of this server as a SAML service provider: its metadata, and the page that posts a request to a provider
/// (`Docs/Providers/SAML.md`).
struct SAMLPages: Sendable {
    let metadata: SAMLMetadata
    let flows: AuthorizationFlows
    let auth: CallerAuth
    let errors: ErrorRendering
    let environment: ServerEnvironment

    private static let script = "/__/auth/handler.js"

    private static let metadataOperation = Operation(
        name: "SAMLMetadata",
        summary: "What a SAML provider needs to know of this server.",
        query: ["tid": .string],
        answers: [200: .text("application/samlmetadata+xml")]
    )
    private static let request = Operation(
        name: "SAMLRequestPage",
        summary: "Posts a request to a SAML provider.",
        query: ["RelayState": .string],
        answers: [200: .html],
        error: .html
    )

    func add(to table: inout RouteTable) {
        table.add(.get, "/__/auth/saml/{provider}/metadata", Self.metadataOperation) { request, context in
            let tenant = HandlerParameters(request.uri.query ?? "")["tid"]
            let scope = Scope(projectID: auth.project.projectID, tenantID: tenant)
            let provider = (context.parameters.get("provider") ?? "").lowercased()
            guard let document = try await metadata.document(provider, scope: scope) else { throw TransportError.notFound }
            let headers: HTTPFields = [
                .contentType: "application/samlmetadata+xml", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
                .contentSecurityPolicy: "default-src 'none'",
            ]
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
        }
        table.add(.get, AuthorizationFlows.samlPagePath, Self.request) { request, context in
            let language = EmailLanguage.negotiate(firebaseLocale: nil, acceptLanguage: request.headers[.acceptLanguage])
            do {
                return try await requestPage(request, language)
            } catch {
                return try ErrorRendering.answer(to: error) { try refusal(error, language, context) }
            }
        }
    }

    private func requestPage(_ request: Request, _ language: EmailLanguage) async throws -> Response {
        let state = HandlerParameters(request.uri.query ?? "")["RelayState"] ?? ""
        guard let form = try await flows.samlForm(state, projectID: auth.project.projectID) else { throw HandlerRefusal.over }
        let texts = try PageTexts.of(language)
        var page = Page(language, title: texts.next)
        page.form = Page.Form(
            action: form.destination,
            fields: [("SAMLRequest", form.request), ("RelayState", form.relayState)],
            button: texts.next
        )
        // Providers answer the post with a redirect to any of their pages, and browsers apply the policy to that, too.
        let isSecure = form.destination.utf8.starts(with: "https:".utf8)
        page.script = Page.Script(
            sources: [Self.script],
            nonce: PageNonce.text(environment),
            data: ["kind": "submit"],
            policy: Page.Script.Policy(forms: isSecure ? ["https:"] : ["http:", "https:"])
        )
        return try page.response()
    }

    private func refusal(_ error: any Error, _ language: EmailLanguage, _ context: PosternContext) throws -> Response {
        let texts = try HandlerTexts.of(language)
        var message = try PageTexts.of(language).problem(error)
        var status = HTTPResponse.Status.badRequest
        if case HandlerRefusal.over = error { message = texts.over } else { status = errors.note(error, context).status }
        return try Page(language, message).response(status: status)
    }
}
