import Accounts
package import HTTPAPI
import HTTPTypes
package import Hummingbird
import NIOCore
import Project

/// The operators' console: every page below `/console`.
///
/// A request is read, its operator found, its form checked; then its screen answers. What screens throw is a page, too.
package struct ConsoleSite: MountedSite {
    private let tools: ConsoleTools
    private let routes: ConsoleRoutes
    private let guardian: ConsoleFormGuard
    private let navigation: ConsoleNavigation

    /// The path of the console.
    static let root = "/console"

    private static let maximumForm = 256 * 1024
    // Before a sign-in a form holds a few short texts.
    private static let maximumStrangersForm = 16 * 1024

    package init(_ tools: ConsoleTools) {
        self.tools = tools
        routes = ConsoleRoutes(ConsoleScreens.all(tools))
        guardian = ConsoleFormGuard(url: tools.url)
        navigation = ConsoleNavigation(tools: tools)
    }

    package static func invitationLink(code: String, url: String) -> String { InvitationScreen.link(code: code, url: url) }

    /// The paths of all screens, with `{name}` for a part that varies.
    package var templates: [String] { routes.templates }

    package func takes(_ request: Request) -> Bool {
        let path = request.uri.path
        return path == Self.root || path.hasPrefix(Self.root + "/")
    }

    package func respond(to request: Request, _ caller: MountedSiteCaller) async throws -> (Response, template: String?) {
        let path = request.uri.path
        if let asset = Self.asset(request) { return (asset, Self.root + "/assets/{version}/{name}") }
        let match = routes.match(path)
        var visit = ConsoleVisit(
            path: path,
            parameters: match?.parameters ?? [:],
            query: ConsoleForm(),
            form: ConsoleForm(),
            client: CallContext(
                scope: Scope(projectID: tools.projectID),
                address: caller.address,
                requestID: caller.requestID,
                userAgent: caller.userAgent
            ),
            texts: try ConsoleTexts.negotiated(acceptLanguage: request.headers[.acceptLanguage]),
            signedIn: nil
        )
        let answer: Response
        do {
            answer = try await self.answer(request, &visit, match?.screen)
        } catch let error as CancellationError {
            throw error
        } catch let error as TransportError {
            // The connection refuses the request, or the body broke off.
            throw error
        } catch OperatorError.signedOut {
            // A visitor without a session is led to the sign-in, and only a session that has ended counts as a refusal.
            if !ConsoleCookie.token(in: request).isEmpty { await record(OperatorError.signedOut, visit) }
            answer = toSignIn(request, visit)
        } catch OperatorError.needsConfirmation {
            answer = redirect(to: ConfirmationScreen.link(backTo: Self.target(request, visit)))
        } catch OperatorError.needsApproval {
            answer = redirect(to: ApprovalsScreen.path + "?done=approvalRequested")
        } catch {
            await record(error, visit)
            answer = failure(error, visit, caller)
            // Nobody waits for the page.
            try Task.checkCancellation()
        }
        return (answer, match?.template)
    }

    private func answer(
        _ request: Request,
        _ visit: inout ConsoleVisit,
        _ screen: (any ConsoleScreen)?
    ) async throws -> Response {
        visit.signedIn = try await person(of: request, visit.client)
        guard let screen else { throw visit.signedIn == nil ? OperatorError.signedOut : ConsoleFailure.unknownPage }
        try Self.admit(visit.signedIn, to: screen)
        visit.query = try Self.form((request.uri.query ?? "")[...].utf8)
        guard visit.parameters.values.allSatisfy({ !$0.hasNull }) else { throw ConsoleFailure.unknownPage }
        let isPost = request.method == .post
        guard isPost || request.method == .get || request.method == .head else { throw ConsoleFailure.noSuchAction }
        guard isPost else { return await response(try await screen.show(visit), visit) }
        if let receiver = screen as? ImportUploadScreen {
            let token = ConsoleForm([(name: Form.csrfField, value: request.headers[.formToken] ?? "")])
            try guardian.check(request, token, try visit.person)
            let piece = try await body(of: request, upTo: receiver.largestPiece)
            visit = try await readmitted(visit, to: screen, request)
            return await response(try await receiver.receive(piece, visit), visit)
        }
        let limit = visit.signedIn == nil ? Self.maximumStrangersForm : Self.maximumForm
        visit.form = try Self.form(String(buffer: try await body(of: request, upTo: limit))[...].utf8)
        visit = try await readmitted(visit, to: screen, request)
        // Pages before a sign-in have forms without the token of a session.
        try guardian.check(request, visit.form, screen.needs == nil ? nil : visit.signedIn)
        return await response(try await screen.act(visit), visit)
    }

    private func person(of request: Request, _ client: CallContext) async throws -> ConsoleOperator? {
        let token = ConsoleCookie.token(in: request)
        guard !token.isEmpty else { return nil }
        do {
            return try await tools.console.sessions.current(token, from: client)
        } catch OperatorError.signedOut {
            return nil
        }
    }

    // A body may take a minute, in which the operator may have been removed. What counts is who it is now.
    private func readmitted(
        _ visit: ConsoleVisit,
        to screen: any ConsoleScreen,
        _ request: Request
    ) async throws -> ConsoleVisit {
        var visit = visit
        visit.signedIn = try await person(of: request, visit.client)
        try Self.admit(visit.signedIn, to: screen)
        return visit
    }

    private static func admit(_ person: ConsoleOperator?, to screen: any ConsoleScreen) throws {
        guard let needs = screen.needs else { return }
        guard let person else { throw OperatorError.signedOut }
        try person.require(needs)
        guard !screen.isOfProject || person.tenantID == nil else { throw OperatorError.notAllowed }
    }

    private static func form(_ text: Substring.UTF8View) throws -> ConsoleForm {
        guard let pairs = FormEncoding.wholePairs(text) else { throw ConsoleFailure.unstorableText }
        return ConsoleForm(pairs)
    }

    private func body(of request: Request, upTo limit: Int) async throws -> ByteBuffer {
        guard (request.headers[.contentLength].flatMap { Int($0) } ?? 0) <= limit else { throw ConsoleFailure.tooLarge }
        do { return try await HTTPAPI.RequestBody.collect(request, limit: limit) } catch is NIOTooManyBytesError {
            throw ConsoleFailure.tooLarge
        }
    }

    // Every refusal of the console comes by here, thrown by a screen or shown on its page.
    private func record(_ error: any Error, _ visit: ConsoleVisit) async {
        let refusals = tools.console.refusals
        if case ConsoleFailure.foreignForm = error {
            await refusals.record(code: "foreignForm", by: visit.signedIn, from: visit.client)
        } else {
            await refusals.record(error, by: visit.signedIn, from: visit.client)
        }
    }

    private func response(_ answer: ConsoleAnswer, _ visit: ConsoleVisit) async -> Response {
        switch answer {
        case .refused(let error, let page):
            await record(error, visit)
            return await response(.page(page), visit)
        case .page(let page):
            return ConsoleRenderer.response(page.noticing(visit), context(visit), status: page.isConflict ? .conflict : .ok)
        case .redirect(let path, let done):
            guard let done else { return redirect(to: path) }
            return redirect(to: "\(path)\(path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")done=\(done)")
        case .signedIn(let token, let path): return redirect(to: path, [.setCookie: ConsoleCookie.setting(token)])
        case .signedOut(let path): return redirect(to: path, [.setCookie: ConsoleCookie.removing])
        case .file(let name, let type, let body):
            var headers = ConsoleRenderer.headers
            headers[.contentType] = type
            headers[.contentDisposition] = "attachment; filename=\"\(name)\""
            return Response(status: .ok, headers: headers, body: body)
        case .response(let response): return response
        }
    }

    private static func asset(_ request: Request) -> Response? {
        let parts = request.uri.path.split(separator: "/", maxSplits: 4)
        guard request.method == .get || request.method == .head, parts.count == 4, parts[1] == "assets" else { return nil }
        return ConsoleAssets.response(String(parts[3]), version: String(parts[2]), request)
    }

    private func context(_ visit: ConsoleVisit) -> PageContext { navigation.context(visit) }

    private func failure(_ error: any Error, _ visit: ConsoleVisit, _ caller: MountedSiteCaller) -> Response {
        let (page, status, isUnexpected) = ConsolePage.failure(error, visit)
        if isUnexpected { caller.note(error) }
        return ConsoleRenderer.response(page, context(visit), status: status)
    }

    private func redirect(to path: String, _ fields: HTTPFields = [:]) -> Response {
        var headers = ConsoleRenderer.headers
        // A path that leads elsewhere would make the console a redirector (threat case WEB-03).
        headers[.location] = ConsolePath.isSafe(path) && path.hasPrefix(Self.root) ? path : Self.root
        for field in fields { headers.append(field) }
        return Response(status: .seeOther, headers: headers)
    }

    private func toSignIn(_ request: Request, _ visit: ConsoleVisit) -> Response {
        let path = SignInScreen.link(backTo: Self.target(request, visit))
        // A request from another site comes without the cookie. It must not sign the operator out.
        return redirect(to: path, ConsoleCookie.token(in: request).isEmpty ? [:] : [.setCookie: ConsoleCookie.removing])
    }

    // Where an operator returns to. A form's fields are gone, so the page of the form is shown again.
    private static func target(_ request: Request, _ visit: ConsoleVisit) -> String {
        request.method == .get ? (request.head.path ?? root).cut(toBytes: 2048) : visit.link(visit.path)
    }
}

extension ConsolePage {
    /// The page with a notice of what the action before has done, if the address names one.
    fileprivate func noticing(_ visit: ConsoleVisit) -> ConsolePage {
        guard notice == nil, let done = visit.query.value("done"), done.utf8.count <= 64 else { return self }
        let key = "done.\(done)"
        let text = visit.texts[key]
        guard text != key else { return self }
        var page = self
        page.notice = Notice(kind: .success, text: text)
        return page
    }
}
