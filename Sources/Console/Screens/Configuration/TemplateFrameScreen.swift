import Accounts
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Project

/// The HTML of a message, for the frame of its screen. Nothing in it runs, is loaded, or can be sent.
struct TemplateFrameScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/templates/{id}/html"
    var needs: AdminScopes? { .read }

    /// The address of a message's HTML.
    static func path(of purpose: EmailPurpose) -> String { TemplateScreen.path(of: purpose) + "/html" }

    // The page has an origin of its own: what a template holds is not trusted with the console's (threat case WEB-04).
    private static let policy =
        "sandbox; default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, purpose) = (try visit.person, try TemplateScreen.purpose(visit))
        let message = try await tools.useCases.codes.mailTest.sample(
            purpose,
            in: TemplateScreen.language(visit),
            for: person.email,
            context: try visit.call()
        )
        guard let html = message.html else { throw ConsoleFailure.unknownPage }
        var headers = ConsoleRenderer.headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = Self.policy
        headers[.frameOptions] = "SAMEORIGIN"
        // The policy would refuse the styles, each with a line in the browser's log.
        let unstyled = html.replacing(" style=\"", with: " data-style=\"")
        return .response(Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: unstyled))))
    }
}
