import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Project
import Storage

/// `GET /emulator/action`, the target of links in development (`Docs/Contract/emulator-endpoints.md` §3). It acts at once and
/// answers JSON, for tests. The page `/__/auth/action` takes the same parameters.
struct EmulatorAction: Sendable {
    let actions: EmailActions
    let listing: OOBCodeListing
    let auth: CallerAuth

    private static let path = "/emulator/action"
    private static let placeholder = "NEW_PASSWORD_HERE"

    func add(to table: inout RouteTable) {
        let names = ["apiKey", "mode", "oobCode", "tenantId", "continueUrl", "newPassword", "lang"]
        let operation = Operation(
            name: "EmulatorAction",
            summary: "Acts on the one-time code of a link.",
            query: Dictionary(uniqueKeysWithValues: names.map { ($0, .string) }),
            answers: [
                200: .json(Schema(name: "EmulatorActionResponse", answer: Answer.self)), 303: .nothing,
                400: .json(Schema(["type": "object"])),
            ]
        )
        table.add(.get, Self.path, operation) { request, context in
            let parameters = ActionParameters(request.uri.query ?? "")
            do {
                guard let apiKey = parameters["apiKey"] else { throw ActionError("missing apiKey query parameter", Hint.apiKey) }
                guard let code = parameters["oobCode"] else { throw ActionError("missing oobCode query parameter", Hint.code) }
                let call = CallContext(
                    scope: try auth.scope(apiKey: apiKey, tenant: parameters["tenantId"]),
                    address: context.facts.address,
                    userAgent: request.headers[.userAgent]
                )
                return try await act(on: code, parameters, call)
            } catch let refusal as ActionError {
                return try JSONAnswer.response(Answer(authEmulator: refusal.body), status: .badRequest)
            }
        }
        // HEAD requests change nothing.
        table.add(.head, Self.path, operation) { _, _ in Response(status: .ok) }
    }

    private struct Answer: Codable {
        struct Body: Codable {
            var success: String?
            var email: String?
            var newEmail: String?
            var error: String?
            var instructions: String?
            var instructions2: String?
            var urlTemplate: String?
        }

        let authEmulator: Body
    }

    private struct ActionError: Error {
        var body: Answer.Body

        init(_ error: String, _ instructions: String? = nil, _ more: String? = nil, urlTemplate: String? = nil) {
            body = .init(error: error, instructions: instructions, instructions2: more, urlTemplate: urlTemplate)
        }
    }

    private enum Hint {
        static let apiKey = "Add an API key to the URL: &apiKey=YOUR_API_KEY"
        static let code = "Add a one-time code to the URL: &oobCode=YOUR_OOB_CODE"
        static let continueURL = "Add the address of your app to the URL: &continueUrl=YOUR_APP_URL"
        static let password = "Ask for a new link to reset the password, and try again."
        static let verify = "Ask for a new link to verify the address, and try again."
        static let change = "Ask for a new link to change the address, and try again."
        static let recover = "Change the address once more to get a new link for taking that back."
        static let anyClient = "A browser will do, or any other HTTP client, such as curl."
    }

    private func act(on code: String, _ parameters: ActionParameters, _ call: CallContext) async throws -> Response {
        switch parameters.type {
        case .passwordReset: try await resetPassword(code, parameters, call)
        case .verifyEmail:
            try await apply(code, .verifyEmail, "verify your email", Hint.verify, call) { info in
                try answer(parameters, .init(success: "The email has been successfully verified.", email: info.email))
            }
        case .verifyAndChangeEmail:
            try await apply(code, .verifyAndChangeEmail, "change your email", Hint.change, call) { info in
                try answer(parameters, .init(success: "The email has been successfully changed.", newEmail: info.newEmail))
            }
        case .recoverEmail: try await recoverEmail(code, call)
        case .emailSignIn: try signIn(parameters)
        case .revertSecondFactorAddition, nil: throw ActionError("Invalid mode")
        }
    }

    private func resetPassword(_ code: String, _ parameters: ActionParameters, _ call: CallContext) async throws -> Response {
        let info: OOBCodeInfo
        do {
            info = try await actions.look(at: code, as: .passwordReset, context: call)
        } catch let error as APIError where error.isUselessCode {
            throw Self.used("reset your password", Hint.password)
        }
        guard let password = parameters["newPassword"] else {
            let link = try await listing.list(call.scope).first { $0.code == code }?.link
            throw ActionError(
                "missing newPassword query parameter",
                "Send a GET request to the following URL to reset the password of \(info.email).",
                Hint.anyClient,
                urlTemplate: link.map { "\($0)&newPassword=\(Self.placeholder)" }
            )
        }
        if password == Self.placeholder {
            throw ActionError(
                "newPassword must be something other than '\(Self.placeholder)'",
                "'\(Self.placeholder)' only shows where the new password goes.",
                "Put a password of your choice there."
            )
        }
        _ = try await actions.act(on: code, as: .passwordReset, password: password, context: call)
        return try answer(parameters, .init(success: "The password has been successfully updated.", email: info.email))
    }

    private func recoverEmail(_ code: String, _ call: CallContext) async throws -> Response {
        let types = try await listing.list(call.scope).filter { $0.code == code }.map(\.info.type)
        guard types == [.recoverEmail] else {
            throw ActionError("Requested mode does not match the OOB code provided.", Hint.recover)
        }
        return try await apply(code, .recoverEmail, "revert your email", Hint.recover, call) { info in
            let body = Answer.Body(success: "The email has been successfully reset.", email: info.email)
            return try JSONAnswer.response(Answer(authEmulator: body))
        }
    }

    private func signIn(_ parameters: ActionParameters) throws -> Response {
        guard let text = parameters["continueUrl"], let address = URLComponents(string: text), address.scheme != nil else {
            throw ActionError("Missing continueUrl query parameter", Hint.continueURL)
        }
        return Self.redirect(parameters.handOver(to: address).string ?? text)
    }

    private func apply(
        _ code: String,
        _ type: OOBRequestType,
        _ purpose: String,
        _ hint: String,
        _ call: CallContext,
        _ answer: (OOBCodeInfo) throws -> Response
    ) async throws -> Response {
        do {
            return try answer(try await actions.act(on: code, as: type, password: nil, context: call))
        } catch let error as APIError where error.isUselessCode {
            throw Self.used(purpose, hint)
        }
    }

    // After a success, any address in the link is followed, as in the emulator.
    private func answer(_ parameters: ActionParameters, _ body: Answer.Body) throws -> Response {
        guard let address = parameters["continueUrl"] else { return try JSONAnswer.response(Answer(authEmulator: body)) }
        return Self.redirect(URLComponents(string: address)?.string ?? address)
    }

    private static func redirect(_ address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }

    private static func used(_ purpose: String, _ hint: String) -> ActionError {
        ActionError("Your request to \(purpose) has expired or the link has already been used.", hint)
    }
}

extension APIError {
    fileprivate var isUselessCode: Bool { code == .invalidOOBCode || code == .expiredOOBCode }
}
