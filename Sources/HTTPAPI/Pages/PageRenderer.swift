import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import Mustache
import NIOCore

/// Renders pages.
struct PageRenderer: Sendable {
    private let template: MustacheTemplate?

    init() { template = try? MustacheTemplate(string: PageLayout.template) }

    /// Makes the response for a page.
    ///
    /// - Returns: The response, with headers that keep the link's code secret.
    func response(_ page: Page, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws -> Response {
        let html = try html(page)
        var fields = Self.headers
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentLanguage] = page.language.rawValue
        fields[.contentSecurityPolicy] =
            page.script.map { PageLayout.contentSecurityPolicy(nonce: $0.nonce, $0.policy) } ?? PageLayout.contentSecurityPolicy
        for field in headers { fields[field.name] = field.value }
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Renders the HTML of a page.
    func html(_ page: Page) throws -> String {
        guard let template else { throw TransportError.internalError }
        return template.render(try Self.values(page))
    }

    /// The headers of every page and of redirects from pages (`Docs/Contract/web-handler.md` §1).
    static let headers: HTTPFields = [
        .cacheControl: "no-store", .referrerPolicy: "no-referrer", .xContentTypeOptions: "nosniff", .frameOptions: "DENY",
        .crossOriginResourcePolicy: "same-origin",
    ]

    private static func values(_ page: Page) throws -> [String: Any] {
        let texts = try PageTexts.of(page.language)
        var values: [String: Any] = [
            "language": page.language.rawValue, "direction": texts.direction, "title": HTMLText.escape(page.title),
            "style": PageLayout.style, "paragraphs": page.paragraphs,
        ]
        if let app = page.app { values["app"] = HTMLText.escape(app) }
        if let alert = page.alert { values["alert"] = list(alert) }
        if let form = page.form { values["form"] = self.form(form, texts, hasAlert: page.alert != nil) }
        if let link = page.next?.string {
            values["next"] = ["link": HTMLText.escape(link), "label": HTMLText.escape(texts.next)]
        }
        if let link = page.appLink {
            values["appLink"] = ["link": HTMLText.escape(link.address), "label": HTMLText.escape(link.label)]
        }
        if let script = page.script {
            values["scripts"] = script.sources.map { ["source": HTMLText.escape($0), "nonce": script.nonce] }
            if let data = script.data { values["data"] = ["text": ScriptData.text(data), "nonce": script.nonce] }
            if let needed = script.needed { values["needed"] = HTMLText.escape(needed) }
            if page.hasWayBack { values["back"] = HTMLText.escape(texts.handler.back) }
        }
        return values
    }

    private static func form(_ form: Page.Form, _ texts: PageTexts, hasAlert: Bool) -> [String: Any] {
        var values: [String: Any] = [
            "button": HTMLText.escape(form.button), "action": HTMLText.escape(form.action),
            "fields": form.fields.map { ["name": HTMLText.escape($0.name), "value": HTMLText.escape($0.value)] },
        ]
        if let captcha = form.captcha { values["captcha"] = HTMLText.escape(captcha) }
        if let password = form.password {
            let described =
                hasAlert ? "aria-invalid=\"true\" aria-describedby=\"unmet requirements\"" : "aria-describedby=\"requirements\""
            values["password"] = list(password.requirements).merging([
                "username": HTMLText.escape(password.username), "label": HTMLText.escape(texts.newPassword),
                "described": described,
            ]) { $1 }
        }
        return values
    }

    private static func list(_ list: Page.List) -> [String: Any] {
        ["lead": HTMLText.escape(list.lead), "items": list.items.map(HTMLText.escape)]
    }
}
