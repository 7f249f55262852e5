import Foundation
import HTTPTypes
import Hummingbird
import Messaging

extension Page {
    /// The headers of every page and of redirects from pages (`Docs/Contract/web-handler.md` §1).
    static let headers: HTTPFields = [
        .cacheControl: "no-store", .referrerPolicy: "no-referrer", .xContentTypeOptions: "nosniff", .frameOptions: "DENY",
        .crossOriginResourcePolicy: "same-origin",
    ]

    /// Makes the response for the page, with headers that keep the link's code secret and those that are given.
    ///
    /// It throws when a file of texts is damaged, which a test rules out.
    func response(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws -> Response {
        var fields = Self.headers
        fields[.contentLanguage] = language.rawValue
        fields[.contentSecurityPolicy] =
            script.map { PageLayout.contentSecurityPolicy(nonce: $0.nonce, $0.policy) } ?? PageLayout.contentSecurityPolicy
        for field in headers { fields[field.name] = field.value }
        return try html().response(status, fields)
    }

    /// The document of the page. It throws as ``response(status:headers:)`` does.
    func html() throws -> HTML {
        let texts = try PageTexts.of(language)
        return HTML("html", ["lang": language.rawValue, "dir": texts.direction]) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML("meta", ["name": "robots", "content": "noindex"])
                HTML("title", title)
                HTML("style") { HTML.source(Array(PageLayout.style.utf8)) }
            }
            HTML("body") {
                HTML("main") { content(texts) }
                if let script { Self.scripts(script) }
            }
        }
    }

    @HTML.Builder
    private func content(_ texts: PageTexts) -> HTML {
        if let app { HTML("p", ["class": "app"]) { HTML("bdi", app) } }
        HTML("h1", title)
        if let alert {
            HTML("div", ["class": "alert", "role": "alert"]) {
                HTML("p", alert.lead)
                Self.list(alert.items, ["id": "unmet"])
            }
        }
        HTML("div", ["id": "status", "role": "status"]) { paragraphs.map { text in HTML("p") { text } } }
        if let needed = script?.needed { HTML("noscript") { HTML("p", needed) } }
        if let form {
            HTML("form", ["method": "post", "action": form.action]) {
                form.fields.map { HTML("input", ["type": "hidden", "name": $0.name, "value": $0.value]) }
                if let password = form.password { field(password, texts.newPassword) }
                Self.button(form)
            }
        }
        if let address = next?.string { Self.link(address, texts.next) }
        if let appLink { Self.link(appLink.address, appLink.label, id: "open") }
        if script != nil, hasWayBack {
            let attributes: HTML.Attributes = ["type": "button", "id": "back", "hidden": true]
            HTML("p", ["class": "next"]) { HTML("button", attributes, texts.handler.back) }
        }
    }

    @HTML.Builder
    private func field(_ password: Password, _ label: String) -> HTML {
        let username = password.username
        let field: HTML.Attributes = [
            "id": "new-password", "name": "newPassword", "type": "password", "autocomplete": "new-password", "dir": "ltr",
            "required": true, "aria-invalid": alert.map { _ in "true" },
            "aria-describedby": alert == nil ? "requirements" : "unmet requirements",
        ]
        HTML("input", ["type": "email", "autocomplete": "username", "value": username, "hidden": true, "readonly": true])
        HTML("label", ["for": "new-password"], label)
        HTML("input", field)
        HTML("div", ["class": "hint", "id": "requirements"]) {
            password.requirements.lead
            Self.list(password.requirements.items)
        }
    }

    private static func button(_ form: Form) -> HTML {
        let attributes: HTML.Attributes = [
            "type": "submit", "class": form.captcha.map { _ in "g-recaptcha" }, "data-sitekey": form.captcha,
            "data-callback": form.captcha.map { _ in "posternVerified" }, "data-size": form.captcha.map { _ in "invisible" },
        ]
        return HTML("button", attributes, form.button)
    }

    private static func list(_ items: [String], _ attributes: HTML.Attributes = [:]) -> HTML {
        HTML("ul", attributes) { items.map { HTML("li", $0) } }
    }

    private static func link(_ address: String, _ label: String, id: String? = nil) -> HTML {
        HTML("p", ["class": "next"]) {
            HTML("a", ["class": "button", "id": id, "href": address, "rel": "noreferrer"], label)
        }
    }

    @HTML.Builder
    private static func scripts(_ script: Script) -> HTML {
        if let data = script.data {
            HTML("script", ["type": "application/json", "id": "data", "nonce": script.nonce]) { HTML.data(data) }
        }
        script.sources.map { HTML("script", ["nonce": script.nonce, "src": $0, "defer": true]) }
    }
}
