import Foundation
import Project

/// The target of a sign-in's result (`Docs/Contract/web-handler.md` §4 and §6).
package enum HandlerTarget: Sendable, Hashable, Codable {
    /// The window that opened the page.
    case popup(apiKey: String, appName: String)
    /// A page of an authorized domain, in the same window.
    case redirect(apiKey: String, appName: String, address: String)
    /// An app that owns the URL scheme.
    case ios(scheme: String, host: String)
    /// An app made with Cordova, by its package name.
    case cordova(package: String)
    /// An Android app, by its package name.
    case android(package: String)

    /// Whether an app gets the result, not a web page.
    package var isNative: Bool {
        switch self {
        case .popup, .redirect: false
        case .ios, .cordova, .android: true
        }
    }
}

extension HandlerTarget {
    /// The app that the parameters name (`Docs/Contract/web-handler.md` §6). There is no registry of apps; a name must have the
    /// form of its kind, so that it cannot produce another kind of URL.
    ///
    /// - Returns: `nil` when a web page asks.
    static func native(_ parameters: HandlerParameters) throws -> HandlerTarget? {
        let (ios, android) = (parameters["ibi"], parameters["apn"])
        if parameters["appName"] != nil, let name = ios ?? android {
            guard isBundleID(name) else { throw HandlerRefusal.incomplete }
            return .cordova(package: name.lowercased())
        }
        if let android {
            let form = /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/
            guard android.utf8.count <= 255, android.wholeMatch(of: form) != nil else {
                throw HandlerRefusal.incomplete
            }
            return .android(package: android)
        }
        if let clientID = parameters["clientId"] {
            let scheme = clientID.split(separator: ".", omittingEmptySubsequences: false).reversed().joined(separator: ".")
            // Browsers act upon schemes such as `javascript` themselves. None of these has a dot.
            guard isBundleID(scheme) else { throw HandlerRefusal.incomplete }
            return .ios(scheme: scheme, host: "firebaseauth")
        }
        if let appID = parameters["appId"] {
            guard appID.wholeMatch(of: /[A-Za-z0-9:.\-]{1,200}/) != nil else { throw HandlerRefusal.incomplete }
            return .ios(scheme: "app-" + appID.replacing(":", with: "-"), host: "firebaseauth")
        }
        guard let ios else { return nil }
        guard isBundleID(ios) else { throw HandlerRefusal.incomplete }
        return .ios(scheme: ios, host: "google")
    }

    private static func isBundleID(_ text: String) -> Bool {
        text.utf8.count <= 200 && text.wholeMatch(of: /[A-Za-z][A-Za-z0-9\-]*(\.[A-Za-z0-9\-]+)+/) != nil
    }
}

/// The parameters of the web handler's URL or of its own form; the first value of a repeated name counts.
package struct HandlerParameters: Sendable {
    private let values: [String: String]

    // The longest form that is read; all of it may be stored with the flow.
    private static let maximumLength = 1 << 14

    /// Reads form pairs. A form that is too long counts as empty.
    package init(_ form: String) {
        let pairs = form.utf8.count <= Self.maximumLength ? FormEncoding.pairs(form[...].utf8) : []
        values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// A value. An empty value counts as absent, and so does one with U+0000, which stores do not keep.
    package subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }

    /// The app's own parameters for the provider (`customParameters`, a JSON object).
    package var custom: [String: String] {
        let members = self["customParameters"].flatMap { try? JSONValue.parse($0.utf8) }?.object ?? [:]
        return members.reduce(into: [:]) { $0[$1.key.text] = $1.value.string }
    }

    /// The language that the app asks for.
    package var language: String? { self["hl"] ?? custom["hl"] ?? custom["lang"] ?? custom["locale"] }
}

/// Why the web handler shows a page of its own and tells the app nothing.
package enum HandlerRefusal: Error, Sendable {
    /// The link lacks a required name, or a name in it is malformed.
    case incomplete
    /// The page that asks is not on an authorized domain.
    case foreignPage
    /// The flow is unknown, over, expired, or another browser's.
    case over
    /// The browser did not send the cookie that it got when the flow began.
    case lostCookie
}
