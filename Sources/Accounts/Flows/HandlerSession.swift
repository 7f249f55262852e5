import Foundation
package import Project

/// The web handler's record of a sign-in while the user is at the provider.
package struct HandlerSession: Sendable, Codable {
    /// The `authType` of the app's request, returned to the app.
    package let authType: String
    /// The `eventId` of the app's request, returned to the app.
    package let eventID: String?
    package let tenantID: String?
    package let target: HandlerTarget
    /// The language of the app's request.
    package let language: String?
    /// SHA-256 of the browser's cookie, in hex.
    var browser: String?

    private static let webTypes: Set<String> = [
        "signInViaPopup", "signInViaRedirect", "linkViaPopup", "linkViaRedirect", "reauthViaPopup", "reauthViaRedirect",
    ]
    /// Whether the app asks its user to sign in again. Apps on iOS and Android never say so.
    var isReauthentication: Bool { ["reauthViaPopup", "reauthViaRedirect"].contains(authType) }

    private static let nativeTypes: Set<String> = ["signInWithRedirect", "verifyApp"]

    /// Reads an app's request. It does not check whether a web page's address is authorized.
    init(_ parameters: HandlerParameters) throws {
        guard let authType = parameters["authType"] else { throw HandlerRefusal.incomplete }
        self.authType = authType
        eventID = parameters["eventId"]
        tenantID = parameters["tid"]
        language = parameters.language
        if let app = try HandlerTarget.native(parameters) {
            // The JS SDK's Cordova layer uses the web's redirect types.
            guard Self.nativeTypes.contains(authType) || Self.webTypes.contains(authType) else { throw HandlerRefusal.incomplete }
            target = app
            return
        }
        guard Self.webTypes.contains(authType), let apiKey = parameters["apiKey"], let appName = parameters["appName"],
            let address = parameters["redirectUrl"]
        else { throw HandlerRefusal.incomplete }
        target =
            authType.hasSuffix("Popup")
            ? .popup(apiKey: apiKey, appName: appName) : .redirect(apiKey: apiKey, appName: appName, address: address)
    }

    /// Reads a stored session.
    init?(_ data: JSONValue) {
        guard let session = try? JSONDecoder().decode(HandlerSession.self, from: Data(data.serialized())) else { return nil }
        self = session
    }

    /// The session in the form that is stored.
    func remembered() throws -> JSONValue { try JSONValue.parse(JSONEncoder().encode(self)) }
}

/// The result of a visit at the handler, for the app.
package struct HandlerDelivery: Sendable {
    /// The kinds of result.
    package enum Outcome: Sendable {
        /// The provider answered. The app sends the URL of `path` with `query` as the `requestUri` of `signInWithIdp`.
        case answered(query: String, sessionID: String?)
        /// A token which proves that a person is present.
        case verified(token: String)
        /// The app receives the code with the prefix `auth/`.
        case failed(code: String, message: String)
    }

    package let session: HandlerSession
    package let outcome: Outcome
    /// Scheme and authority of the handler.
    package let origin: String

    package init(session: HandlerSession, outcome: Outcome, origin: String) {
        self.session = session
        self.outcome = outcome
        self.origin = origin
    }

    package static let path = "/__/auth/handler"
    /// The path of the URL inside the URL that opens an app.
    package static let callbackPath = "/__/auth/callback"

    /// The auth event of the JS SDK (`Docs/Contract/web-handler.md` §4.1).
    package var event: JSONValue {
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        var event: JSONValue = [
            "type": .string(session.authType), "eventId": text(session.eventID), "urlResponse": .null, "sessionId": .null,
            "postBody": .null, "tenantId": text(session.tenantID), "error": .null,
        ]
        switch outcome {
        case .answered(let query, let sessionID):
            event["urlResponse"] = .string("\(origin)\(Self.path)?\(query)")
            event["sessionId"] = text(sessionID)
            event["postBody"] = ""
        case .failed: event["error"] = error
        case .verified: break
        }
        return event
    }

    private var error: JSONValue? {
        guard case .failed(let code, let message) = outcome else { return nil }
        return ["code": .string("auth/" + code), "message": .string(message)]
    }

    /// The URL that opens the app (`Docs/Contract/web-handler.md` §6, `Docs/Contract/emulator-endpoints.md` §4.5); `nil` for a
    /// web page.
    package var appURL: String? {
        switch session.target {
        case .popup, .redirect: nil
        case .ios(let scheme, let host):
            "\(scheme)://\(host)/link?deep_link_id=\(PercentEncoding.encode(callback))"
        case .cordova(let package):
            // The Cordova SDK decodes twice.
            "\(package)://google/link?deep_link_id=\(twice(cordovaCallback))"
        case .android(let package): intent(package)
        }
    }

    private var result: (name: String, value: String) {
        switch outcome {
        case .answered(let query, _): ("link", "\(origin)\(Self.path)?\(query)")
        case .verified(let token): ("recaptchaToken", token)
        case .failed: ("firebaseError", error?.text ?? "")
        }
    }

    private var callback: String {
        var pairs: [(name: String, value: String)] = [("authType", session.authType)]
        if let eventID = session.eventID { pairs.append(("eventId", eventID)) }
        pairs.append(result)
        if let tenantID = session.tenantID { pairs.append(("tid", tenantID)) }
        return "\(origin)\(Self.callbackPath)?\(PercentEncoding.form(pairs))"
    }

    private var cordovaCallback: String {
        let query =
            switch outcome {
            case .answered(let query, _): query
            case .verified, .failed: "\(result.name)=\(twice(result.value))"
            }
        return "\(origin)\(Self.callbackPath)?\(query)"
    }

    private func intent(_ package: String) -> String {
        var fields = ["scheme=genericidp", "package=\(package)", "S.authType=\(PercentEncoding.encode(session.authType))"]
        if let eventID = session.eventID { fields.append("S.eventId=\(PercentEncoding.encode(eventID))") }
        fields.append("S.\(result.name)=\(PercentEncoding.encode(result.value))")
        fields.append("B.encryptionEnabled=false")
        let fallback = "\(origin)\(Self.callbackPath)?error=App+not+found+for+intent"
        fields.append("S.browser_fallback_url=\(PercentEncoding.encode(fallback))")
        return "intent://firebase.auth/#Intent;\(fields.joined(separator: ";"));end;"
    }

    private func twice(_ text: String) -> String { PercentEncoding.encode(PercentEncoding.encode(text)) }
}
