import Foundation
import Project
import SAML
import SAMLTestKit
import TestKit
import Testing

/// A server with two SAML providers, and one more in a tenant.
struct SAMLStage: Sendable {
    let server: TestServer

    static let first = Result { try SAMLTestProvider(entityID: "https://idp.example/first") }
    static let second = Result { try SAMLTestProvider(entityID: "https://idp.example/second", kind: .ec) }
    static let entityID = "https://sp.example.com/saml"
    static let signOn = "https://idp.example/sso?tenant=1"
    static let email = "ada@example.com"

    var provider: SAMLTestProvider { get throws { try Self.first.get() } }
    var other: SAMLTestProvider { get throws { try Self.second.get() } }

    /// A sign-in that has begun, as the provider sees it.
    struct Visit: Sendable {
        let request: SAMLTestRequest
        let relayState: String
        let sessionID: String?
    }

    /// Starts a server, which ends with the test.
    static func start(
        mode: ServerMode = .production,
        environment: [String: String] = [:],
        on engine: Engine = .sqlite,
        gapiScript: String? = nil
    ) async throws -> SAMLStage {
        let project = try project
        let server = try await TestServer.start(
            mode: mode,
            environment: environment,
            project: project,
            on: engine,
            gapiScript: gapiScript
        )
        return SAMLStage(server: server)
    }

    static var project: @Sendable (FakeIDP) -> String {
        get throws {
            let first = try entry(Self.first.get())
            let second = try entry(Self.second.get())
            return { provider in
                """
                config:
                  signIn: {anonymous: {enabled: true}, email: {enabled: true}}
                  authorizedDomains: [localhost, app.example.com]
                oauthIdpConfigs:
                  oidc.test: {enabled: true, clientId: oidc-client, issuer: "\(provider.issuer("oidc"))"}
                inboundSamlConfigs:
                  saml.test: {enabled: true, \(first), \(names)}
                  saml.trusted: {enabled: true, emailDomains: [Example.com], \(first), \(names)}
                  saml.other: {enabled: true, \(second), \(names)}
                  saml.off: {enabled: false, \(first), \(names)}
                  saml.empty: {enabled: true}
                tenants:
                  acme:
                    inboundSamlConfigs:
                      saml.test: {enabled: true, \(second), \(names)}
                """
            }
        }
    }

    private static func entry(_ provider: SAMLTestProvider) -> String {
        let certificate = provider.certificate.replacing("\n", with: "\\n")
        return """
            idpConfig: {idpEntityId: "\(provider.entityID)", ssoUrl: "\(signOn)", \
            idpCertificates: [{x509Certificate: "\(certificate)"}]}
            """
    }

    private static let names = "spConfig: {spEntityId: \"\(entityID)\", callbackUri: \"\(FlowServer.redirect)\"}"

    /// Begins a sign-in as an app does.
    func begin(_ providerID: String = "saml.test", _ extra: JSONValue = [:]) async throws -> Visit {
        let flow = try await server.begin(providerID, extra)
        let request = try SAMLTestRequest(redirect: flow.authURI)
        return Visit(request: request, relayState: try #require(request.relayState), sessionID: flow.sessionID)
    }

    /// The form that the provider's page posts.
    func form(
        _ visit: Visit,
        nameID: String = email,
        attributes: [(name: String, values: [String])] = [],
        by provider: SAMLTestProvider? = nil,
        _ change: (inout SAMLTestResponse) -> Void = { _ in }
    ) throws -> String {
        let provider = try provider ?? self.provider
        let xml = try provider.respond(
            to: visit.request,
            nameID: nameID,
            attributes: attributes,
            now: server.clock.now,
            change: change
        )
        return Self.form(xml, visit.relayState)
    }

    static func form(_ xml: String, _ relayState: String?) -> String {
        let response = Data(xml.utf8).base64EncodedString()
        return TestClient.encode([("SAMLResponse", response)] + (relayState.map { [("RelayState", $0)] } ?? []))
    }

    /// Sends a form to `signInWithIdp`.
    func complete(_ form: String, _ visit: Visit, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
        var body: JSONValue = ["requestUri": .string(FlowServer.redirect), "postBody": .string(form)]
        body["sessionId"] = visit.sessionID.map(JSONValue.string)
        return try await server.call("signInWithIdp", body.merging(extra))
    }

    func signIn(
        _ providerID: String = "saml.test",
        nameID: String = email,
        attributes: [(name: String, values: [String])] = [],
        extra: JSONValue = [:]
    ) async throws -> TestClient.Answer {
        let visit = try await begin(providerID)
        let form = try form(visit, nameID: nameID, attributes: attributes)
        return try await complete(form, visit, extra)
    }

    /// Points a provider to this server's own handler.
    func useHandler(_ providerID: String = "saml.test", host: String = "127.0.0.1", _ extra: JSONValue = [:]) async throws {
        let config: JSONValue = ["spConfig": ["callbackUri": .string("http://\(host):\(server.port)/__/auth/handler")]]
        let body = config.merging(extra)
        let extraPaths = (extra["idpConfig"]?.object ?? [:]).keys.map { "idpConfig.\($0.text)" }
        let mask = (["spConfig.callbackUri"] + extraPaths).joined(separator: ",")
        let answer = try await server.admin("PATCH", "/inboundSamlConfigs/\(providerID)?updateMask=\(mask)", body)
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
    }
}
