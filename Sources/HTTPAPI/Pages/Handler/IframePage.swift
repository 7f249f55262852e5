import Accounts
import HTTPTypes
import Hummingbird
import Project

/// The frame inside an app's page that passes auth events to it: `/__/auth/iframe`, and `/emulator/auth/iframe` in development
/// (`Docs/Contract/web-handler.md` §4.2, `Docs/Contract/emulator-endpoints.md` §5).
struct IframePage: Sendable {
    let signIn: BrowserSignIn
    let auth: CallerAuth
    let environment: ServerEnvironment
    let mode: ModeRules
    /// The URL of Google's script, through which the SDKs talk to the frame.
    let gapiScript: String

    private static let operation = Operation(
        name: "IframePage",
        summary: "The hidden frame by which the JavaScript SDK hears of sign-ins.",
        query: ["apiKey": .string, "appName": .string, "v": .string, "eid": .string, "fw": .string],
        answers: [200: .html]
    )

    func add(to table: inout RouteTable) {
        table.add(.get, "/__/auth/iframe", Self.operation) { _, _ in try await response(title: "Auth Helper Iframe") }
        guard mode.servesEmulatorPaths else { return }
        table.add(.get, "/emulator/auth/iframe", Self.operation) { _, _ in
            try await response(title: "Auth Emulator Helper Iframe")
        }
    }

    private func response(title: String) async throws -> Response {
        let nonce = PageNonce.text(environment)
        // Google's script loads further scripts from its own origin.
        let google = gapiScript.split(separator: "/").prefix(2).joined(separator: "//")
        var policy = "default-src 'none'; script-src 'nonce-\(nonce)' \(google); base-uri 'none'; form-action 'none'"
        if mode.restrictsFraming {
            let ancestors =
                try await signIn.domains(auth.project).flatMap(Self.ancestors)
                + (signIn.ownHost.map { ["http://\($0):*"] } ?? [])
            policy += "; frame-ancestors \(ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " "))"
        }
        let headers: HTTPFields = [
            .contentSecurityPolicy: policy, .cacheControl: "no-store", .referrerPolicy: "no-referrer",
            .xContentTypeOptions: "nosniff", .crossOriginResourcePolicy: "cross-origin",
        ]
        return Self.html(title: title, nonce: nonce, scripts: [gapiScript, "/__/auth/iframe.js"]).response(.ok, headers)
    }

    static func html(title: String, nonce: String, scripts: [String]) -> HTML {
        HTML("html", ["lang": "en"]) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "robots", "content": "noindex"])
                HTML("title", title)
                scripts.map { HTML("script", ["nonce": nonce, "src": $0, "defer": true]) }
            }
            HTML("body")
        }
    }

    /// The pages of an authorized domain as sources of a policy, with those of subdomains when it authorizes them (ruling 29);
    /// `http` also matches `https` (CSP Level 3 §6.7.2.6).
    static func ancestors(of domain: String) -> [String] {
        if domain.utf8.count <= 96, domain.wholeMatch(of: /chrome-extension:\/\/[a-z0-9]+/) != nil { return [domain] }
        // A policy cannot name IPv6 addresses.
        guard let host = HostName(domain), host.address?.bytes.count != 16 else { return [] }
        let hasSubdomains = HostName("a.\(host)").map(host.authorizes) ?? false
        return ["http://\(host):*"] + (hasSubdomains ? ["http://*.\(host):*"] : [])
    }
}
