import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import Passwords
import Project
import Storage

/// `/__/auth/action`: the pages behind links in e-mails (`Docs/Contract/web-handler.md` §8). A GET checks the code and shows a
/// form. Only posting that form uses the code up (threat case OOB-03).
struct ActionPage: Sendable {
    let actions: EmailActions
    let auth: CallerAuth
    let errors: ErrorRendering
    let origins: FormOrigin

    static let path = "/__/auth/action"
    // The page's form has a few hundred bytes; a long `continueUrl` and a long password still fit.
    private static let maximumFormBytes = 1 << 16

    private static let parameters: Operation.Query = [
        "apiKey": .string, "mode": .string, "oobCode": .string, "tenantId": .string, "continueUrl": .string,
        "newPassword": .text(.password, bytes: nil), "email": .string, "lang": .string,
    ]
    private static let operation = Operation(
        name: "ActionPage",
        summary: "The page that links in e-mails lead to.",
        query: parameters.filter { $0.key != "newPassword" && $0.key != "email" },
        answers: [200: .html, 303: .nothing],
        error: .html
    )

    func add(to table: inout RouteTable) {
        table.add(.get, Self.path, Self.operation) { request, context in
            let parameters = ActionParameters(request.uri.query ?? "")
            return try await answer(request, context, parameters) { try await ask(parameters, $0) }
        }
        var posting = Self.operation
        posting.query = [:]
        let fields = Self.parameters.sorted { $0.key < $1.key }
        posting.request = [.form(Schema(.object(naming: fields.map { ($0, $1) })))]
        table.add(.post, Self.path, posting) { request, context in
            // The body is read before any refusal, because an unread body ends the connection.
            let read: Result<String, any Error>
            do { read = .success(try await RequestBody.text(request, limit: Self.maximumFormBytes)) } catch {
                read = .failure(error)
            }
            let parameters = ActionParameters((try? read.get()) ?? "")
            return try await answer(request, context, parameters, of: read) { visit in
                try origins.check(request)
                let type = request.headers[.contentType]?.lowercased() ?? ""
                guard type.hasPrefix("application/x-www-form-urlencoded") else { throw PageError.notAForm }
                return try await act(parameters, visit)
            }
        }
    }

    private struct Visit {
        let call: CallContext
        let language: EmailLanguage
        let texts: PageTexts
        var app: String { call.scope.projectID }
    }

    private func answer(
        _ request: Request,
        _ context: PosternContext,
        _ parameters: ActionParameters,
        of form: Result<String, any Error> = .success(""),
        _ body: (Visit) async throws -> Response
    ) async throws -> Response {
        let language = parameters.language(request)
        do {
            // What a body that could not be read lacks is not its fault.
            _ = try form.get()
            guard let apiKey = parameters["apiKey"] else { throw PageError.incompleteLink }
            let call = CallContext(
                scope: try auth.scope(apiKey: apiKey, tenant: parameters["tenantId"]),
                address: context.facts.address,
                requestID: context.requestID,
                userAgent: request.headers[.userAgent],
                locale: language.rawValue
            )
            context.facts.call = call
            return try await body(Visit(call: call, language: language, texts: try PageTexts.of(language)))
        } catch {
            return try ErrorRendering.answer(to: error) { try failure(error, language, parameters, context) }
        }
    }

    private func failure(
        _ error: any Error,
        _ language: EmailLanguage,
        _ parameters: ActionParameters,
        _ context: PosternContext
    ) throws -> Response {
        let message = try PageTexts.of(language).problem(error, of: parameters.type)
        let page = Page(language, message)
        if let error = error as? PageError { return try page.response(status: error.status) }
        let rendered = errors.note(error, context)
        let isThrottled = (error as? APIError)?.code == .tooManyAttemptsTryLater
        return try page.response(
            status: isThrottled ? .tooManyRequests : rendered.status,
            headers: rendered.headers
        )
    }

    // MARK: Asking

    private func ask(_ parameters: ActionParameters, _ visit: Visit) async throws -> Response {
        guard let type = parameters.type, let code = parameters["oobCode"] else { throw PageError.incompleteLink }
        if type == .emailSignIn { return try await handOver(parameters, visit) }
        let info = try await actions.look(at: code, as: type, context: visit.call)
        return try await question(info, parameters, visit).response()
    }

    // The app checks and uses the code; this page does not read it.
    private func handOver(_ parameters: ActionParameters, _ visit: Visit) async throws -> Response {
        let address = try await actions.continuation(parameters["continueUrl"], context: visit.call)
        guard let target = address.map(parameters.handOver), let location = target.string else { throw PageError.onlyForApps }
        var page = Page(visit.language, app: visit.app, visit.texts.signIn)
        page.next = target
        return try page.response(status: .seeOther, headers: [.location: location])
    }

    private func question(
        _ info: OOBCodeInfo,
        _ parameters: ActionParameters,
        _ visit: Visit,
        unmet: [String] = []
    ) async throws -> Page {
        let action = visit.texts.action(info)
        var form = Page.Form(fields: fields(of: parameters, visit), button: action.button)
        if info.type == .passwordReset {
            let requirements = try await actions.passwordPolicy(context: visit.call).requirements
            form.password = Page.Password(
                username: info.email,
                requirements: Page.List(
                    lead: visit.texts.requirementsLead,
                    items: requirements.map(visit.texts.text)
                )
            )
        }
        var page = Page(visit.language, app: visit.app, title: action.title)
        page.form = form
        page.paragraphs = [action.lead.html(info.type == .verifyAndChangeEmail ? info.newEmail : info.email)]
        if !unmet.isEmpty { page.alert = Page.List(lead: visit.texts.unmetLead, items: unmet) }
        return page
    }

    // The form posts the link's parameters, so that the next page's URL does not contain the code.
    private func fields(of parameters: ActionParameters, _ visit: Visit) -> [(name: String, value: String)] {
        let names = ["mode", "oobCode", "apiKey", "tenantId", "continueUrl"]
        return names.compactMap { name in parameters[name].map { (name, $0) } } + [("lang", visit.language.rawValue)]
    }

    // MARK: Acting

    // The mode of the form that follows a restored address; links never have it.
    private static let offerMode = "sendPasswordReset"

    private func act(_ parameters: ActionParameters, _ visit: Visit) async throws -> Response {
        if parameters["mode"] == Self.offerMode { return try await sendReset(parameters, visit) }
        guard let type = parameters.type, let code = parameters["oobCode"] else { throw PageError.incompleteLink }
        if type == .emailSignIn { return try await handOver(parameters, visit) }
        let password = parameters["newPassword"]
        let info: OOBCodeInfo
        do {
            info = try await actions.act(on: code, as: type, password: password, context: visit.call)
        } catch let error as APIError where error.code == .weakPassword || error.code == .passwordDoesNotMeetRequirements {
            return try await askAgain(code, type, password ?? "", parameters, visit)
        }
        let action = visit.texts.action(info)
        var page = Page(visit.language, app: visit.app, title: action.title)
        page.paragraphs = [action.done.html(type == .verifyAndChangeEmail ? info.newEmail : info.email)]
        if !info.removed.isEmpty {
            let names = info.removed.map { [HTML("bdi", visit.texts.way($0))] }.joined(separator: [.text(", ")])
            page.paragraphs.append(.several([.text(visit.texts.removedLead + " ")] + names))
        }
        page.next = try await actions.continuation(parameters["continueUrl"], context: visit.call)
        if type == .recoverEmail, try await actions.allowsPasswords(context: visit.call) {
            page.paragraphs.append(visit.texts.offerReset.lead.html(info.email))
            let kept = fields(of: parameters, visit).filter { $0.name != "mode" && $0.name != "oobCode" }
            page.form = Page.Form(
                fields: [("mode", Self.offerMode), ("email", info.email)] + kept,
                button: visit.texts.offerReset.button
            )
        }
        return try page.response()
    }

    private func askAgain(
        _ code: String,
        _ type: OOBRequestType,
        _ password: String,
        _ parameters: ActionParameters,
        _ visit: Visit
    ) async throws -> Response {
        let info = try await actions.look(at: code, as: type, context: visit.call)
        let unmet = try await actions.passwordPolicy(context: visit.call).unmet(by: password)
        let page = try await question(info, parameters, visit, unmet: unmet.map(visit.texts.text))
        return try page.response(status: .badRequest)
    }

    private func sendReset(_ parameters: ActionParameters, _ visit: Visit) async throws -> Response {
        guard let email = parameters["email"] else { throw PageError.incompleteLink }
        let address = try await actions.continuation(parameters["continueUrl"], context: visit.call)
        try await actions.sendPasswordReset(to: email, continueURL: address?.string, context: visit.call)
        let action = visit.texts.offerReset
        var page = Page(visit.language, app: visit.app, title: action.title)
        page.next = address
        page.paragraphs = [action.done.html(email)]
        return try page.response()
    }
}

extension PageTexts {
    /// The texts for a type of link; sign-in links have none of this form.
    fileprivate func action(_ info: OOBCodeInfo) -> Action {
        switch info.type {
        case .passwordReset: resetPassword
        case .verifyEmail, .emailSignIn: verifyEmail
        case .verifyAndChangeEmail: changeEmail
        case .recoverEmail: info.securesAccount ? secureAccount : recoverEmail
        case .revertSecondFactorAddition: removeSecondFactor
        }
    }

    /// A removed way to sign in, in words; providers appear by their id.
    fileprivate func way(_ name: String) -> String {
        switch name {
        case "passkey": passkeys
        case "phone": phoneNumber
        default: name
        }
    }
}
