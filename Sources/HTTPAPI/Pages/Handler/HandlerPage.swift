import Accounts
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Project
import Storage

/// `/__/auth/handler`: sends browsers to identity providers, receives their answers, and tells the app
/// (`Docs/Contract/web-handler.md`).
struct HandlerPage: Sendable {
    let signIn: BrowserSignIn
    let auth: CallerAuth
    let errors: ErrorRendering
    let origins: FormOrigin
    let forwardedHost: ForwardedHost
    let environment: ServerEnvironment
    /// `recaptcha.siteKey`
    let siteKey: String?
    let publicURL: @Sendable () -> String

    // Most providers post a code, an ID token and little more. A SAML response may list a user's groups.
    private static let maximumFormBytes = 1 << 17
    private static let script = "/__/auth/handler.js"
    // The field that marks a forwarded answer; no provider's answer has it.
    private static let againField = "postern_again"

    private static let parameters = [
        "apiKey", "appName", "authType", "providerId", "redirectUrl", "eventId", "scopes", "customParameters", "tid", "sessionId",
        "ibi", "apn", "clientId", "appId", "hl", "v", "state", "code",
    ]
    private static let operation = Operation(
        name: "HandlerPage",
        summary: "Begins sign-in flows of browsers and apps, and takes the answers of identity providers.",
        query: Dictionary(uniqueKeysWithValues: parameters.map { ($0, .string) }),
        answers: [200: .html, 303: .nothing],
        error: .html
    )
    private static let posted = Operation(
        name: "HandlerForm",
        summary: "Takes the posted answer of an identity provider, or of the page itself.",
        request: [.form(Schema(["type": "object"]))],
        answers: [200: .html, 303: .nothing],
        error: .html
    )
    private static let callback = Operation(
        name: "HandlerCallback",
        summary: "The page behind addresses that only apps open.",
        answers: [200: .html],
        error: .html
    )

    func add(to table: inout RouteTable) {
        table.add(.get, HandlerDelivery.path, Self.operation) { request, context in
            let visit = HandlerVisit(request, context, request.uri.query ?? "")
            return try await page(visit) {
                guard !BrowserSignIn.isSAMLAnswer(visit.form) else { throw PageError.notAForm }
                if BrowserSignIn.isAnswer(visit.form) { return try await answer(visit) }
                // The answer may be in the fragment, which only a script can read.
                if visit.form.isEmpty { return try fragment(visit) }
                return try await begin(visit)
            }
        }
        // HEAD requests change nothing.
        table.add(.head, HandlerDelivery.path, Self.operation) { _, _ in Response(status: .ok, headers: Page.headers) }
        table.add(.post, HandlerDelivery.path, Self.posted) { request, context in
            let body: Result<String, any Error>
            do { body = .success(try await RequestBody.text(request, limit: Self.maximumFormBytes)) } catch {
                body = .failure(error)
            }
            let visit = HandlerVisit(request, context, (try? body.get()) ?? "")
            return try await page(visit) {
                let type = request.headers[.contentType]?.lowercased() ?? ""
                guard type.hasPrefix("application/x-www-form-urlencoded") else { throw PageError.notAForm }
                _ = try body.get()
                guard BrowserSignIn.isAnswer(visit.form) else { return try await verified(visit) }
                return try isFirstWithoutCookie(visit) ? again(visit) : await answer(visit)
            }
        }
        table.add(.get, HandlerDelivery.callbackPath, Self.callback) { request, context in
            let visit = HandlerVisit(request, context, request.uri.query ?? "")
            let texts = try HandlerTexts.of(visit.language)
            return try Page(visit.language, texts.open).response()
        }
    }

    private func origin(_ visit: HandlerVisit, _ scope: Scope) async throws -> String {
        let forwarded = forwardedHost.named(in: visit.request, visit.context)
        return try await signIn.origin(visit.request.head.authority, forwarded: forwarded, scope: scope)
    }

    private var cookie: BrowserCookie { BrowserCookie(isSecure: publicURL().lowercased().hasPrefix("https:")) }

    // MARK: Beginning

    private func begin(_ visit: HandlerVisit) async throws -> Response {
        let parameters = visit.parameters
        let scope = try auth.scope(apiKey: parameters["apiKey"], tenant: nil)
        let origin = try await origin(visit, scope)
        let session = try await signIn.session(parameters, scope: scope)
        if session.authType == "verifyApp" { return try ask(session, visit) }
        do {
            let departure = try await signIn.begin(
                session,
                parameters,
                origin: origin,
                browser: cookie.value(in: visit.request),
                context: visit.call(in: Scope(projectID: scope.projectID, tenantID: session.tenantID))
            )
            var headers = Page.headers
            headers[.location] = departure.address
            headers[.setCookie] = cookie.header(departure.browser)
            return Response(status: .seeOther, headers: headers)
        } catch let error as APIError {
            errors.note(error, visit.context)
            return try deliver(
                HandlerDelivery(session: session, outcome: BrowserSignIn.failure(error), origin: origin),
                visit.language
            )
        }
    }

    // MARK: Answers

    // Browsers may omit the cookie when a provider's page posts across sites: always under plain http, where the cookie cannot be
    // marked for it, and sometimes under https. A post that comes from this server's own page is answered in any case.
    private func isFirstWithoutCookie(_ visit: HandlerVisit) -> Bool {
        guard cookie.value(in: visit.request) == nil else { return false }
        let names = Set(FormEncoding.pairs(visit.form[...].utf8).map(\.name))
        return !names.contains(Self.againField)
    }

    // Forwards the answer to this server's own site, whose posts have the cookie. The answer is read only after that.
    private func again(_ visit: HandlerVisit) throws -> Response {
        let texts = try HandlerTexts.of(visit.language)
        let fields = BrowserSignIn.kept(visit.form) + [(Self.againField, "1")]
        let pairs = fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        var page = Page(visit.language, texts.open)
        page.script = script(["kind": "again", "fields": .array(pairs)], texts)
        return try page.response()
    }

    private func answer(_ visit: HandlerVisit) async throws -> Response {
        let delivery = try await signIn.answer(
            visit.form,
            browser: cookie.value(in: visit.request),
            context: visit.call(in: auth.project)
        )
        let language = EmailLanguage.negotiate(
            firebaseLocale: delivery.session.language,
            acceptLanguage: visit.request.headers[.acceptLanguage]
        )
        return try deliver(delivery, language)
    }

    private func fragment(_ visit: HandlerVisit) throws -> Response {
        let texts = try HandlerTexts.of(visit.language)
        var page = Page(visit.language, texts.incomplete)
        page.script = script(["kind": "fragment"], texts)
        page.hasWayBack = true
        return try page.response(status: .badRequest)
    }

    private func deliver(_ delivery: HandlerDelivery, _ language: EmailLanguage) throws -> Response {
        let texts = try HandlerTexts.of(language)
        var page: Page
        switch delivery.session.target {
        case .popup(let apiKey, let appName):
            page = Page(language, texts.close)
            page.script = script(
                [
                    "kind": "popup", "apiKey": .string(apiKey), "appName": .string(appName), "event": delivery.event,
                    "lost": .string(texts.lost),
                ],
                texts
            )
        case .redirect(let apiKey, let appName, let address):
            page = Page(language, texts.open)
            page.script = script(
                [
                    "kind": "redirect", "apiKey": .string(apiKey), "appName": .string(appName), "event": delivery.event,
                    "redirectUrl": .string(address), "lost": .string(texts.lost),
                ],
                texts
            )
        case .ios, .cordova, .android:
            page = Page(language, texts.open)
            page.appLink = delivery.appURL.map { Page.Link(address: $0, label: texts.openButton) }
            page.script = script(["kind": "app"], texts)
        }
        return try page.response()
    }

    // MARK: Verification of apps

    private func ask(_ session: HandlerSession, _ visit: HandlerVisit) throws -> Response {
        guard case .ios = session.target else { throw HandlerRefusal.incomplete }
        let texts = try HandlerTexts.of(visit.language)
        let names = ["apiKey", "authType", "eventId", "clientId", "appId", "ibi", "hl"]
        var page = Page(visit.language, texts.verify)
        page.form = Page.Form(
            action: "handler",
            fields: names.compactMap { name in visit.parameters[name].map { (name, $0) } },
            button: texts.verifyButton,
            captcha: siteKey
        )
        if siteKey != nil {
            let hosts = ["https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/"]
            let policy = Page.Script.Policy(
                scripts: hosts,
                frames: ["https://www.google.com/recaptcha/", "https://recaptcha.google.com/recaptcha/"],
                connections: ["https://www.google.com/recaptcha/"]
            )
            page.script = Page.Script(
                sources: [Self.script, "https://www.google.com/recaptcha/api.js"],
                nonce: PageNonce.text(environment),
                policy: policy,
                needed: texts.needsScript
            )
        }
        return try page.response()
    }

    private func verified(_ visit: HandlerVisit) async throws -> Response {
        try origins.check(visit.request)
        let parameters = visit.parameters
        let scope = try auth.scope(apiKey: parameters["apiKey"], tenant: nil)
        let session = try await signIn.session(parameters, scope: scope)
        guard session.authType == "verifyApp", case .ios = session.target else { throw HandlerRefusal.incomplete }
        let outcome: HandlerDelivery.Outcome
        do {
            if siteKey != nil {
                guard let token = parameters["g-recaptcha-response"] else { throw APIError(.captchaCheckFailed) }
                outcome = .verified(token: token)
            } else {
                outcome = .verified(token: try await signIn.verificationToken(context: visit.call(in: scope)))
            }
        } catch let error as APIError {
            errors.note(error, visit.context)
            outcome = BrowserSignIn.failure(error)
        }
        let origin = try await origin(visit, scope)
        return try deliver(HandlerDelivery(session: session, outcome: outcome, origin: origin), visit.language)
    }

    // MARK: Pages

    private func page(_ visit: HandlerVisit, _ body: () async throws -> Response) async throws -> Response {
        do { return try await body() } catch { return try ErrorRendering.answer(to: error) { try failure(error, visit) } }
    }

    private func failure(_ error: any Error, _ visit: HandlerVisit) throws -> Response {
        let texts = try HandlerTexts.of(visit.language)
        let status: HTTPResponse.Status
        var headers: HTTPFields = [:]
        var message = try PageTexts.of(visit.language).problem(error)
        switch error {
        case HandlerRefusal.incomplete: (message, status) = (texts.incomplete, .badRequest)
        case HandlerRefusal.foreignPage: (message, status) = (texts.foreignPage, .forbidden)
        case HandlerRefusal.lostCookie: (message, status) = (texts.lostCookie, .badRequest)
        case HandlerRefusal.over: (message, status) = (texts.over, .badRequest)
        case let error as PageError: status = error.status
        default:
            let rendered = errors.note(error, visit.context)
            if error is TransportError { message = texts.incomplete }
            (status, headers) = (rendered.status, rendered.headers)
        }
        var page = Page(visit.language, message)
        page.script = Page.Script(sources: [Self.script], nonce: PageNonce.text(environment))
        page.paragraphs.append(.text(texts.mayClose))
        page.hasWayBack = true
        return try page.response(status: status, headers: headers)
    }

    private func script(_ data: JSONValue, _ texts: HandlerTexts) -> Page.Script {
        Page.Script(sources: [Self.script], nonce: PageNonce.text(environment), data: data, needed: texts.needsScript)
    }
}
