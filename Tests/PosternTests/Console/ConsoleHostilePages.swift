import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// Texts of attackers in every place of the store that operators see (threat case WEB-04).
struct ConsoleHostilePages {
    let server: TestServer
    let hook: LoopbackService

    /// Breaks out of a text, of an attribute in either quotes, and of the elements whose content is text.
    static let text =
        #"§'"></title></textarea></script><i data-xss></i><img src=x onerror=xss=1><svg onload=xss=1>"#
        + #"<script>xss=1</script>{{{csrf}}}" onfocus=xss=1 autofocus x='"#

    /// The same with what an address may have before its `@`.
    static let address = #"§"><img/src=x/onerror=xss=1><i/data-xss>'onfocus='xss=1@example.com"#

    /// A name that browsers could say of themselves.
    static let device = #"<i data-xss></i><img src=x onerror=xss=1><script>xss=1</script>" onfocus=xss=1 x='"#

    static let userID = "§<i data-xss><img src=x onerror=xss=1>'\"/../&?#"
    static let providerID = "oidc.hostile"

    static let project: @Sendable (FakeIDP) -> String = { provider in
        """
        config:
          signIn: {anonymous: {enabled: true}, email: {enabled: true}}
        oauthIdpConfigs:
          \(providerID): {enabled: true, clientId: x, issuer: "\(provider.issuer("oidc"))"}
        """
    }

    private func accept(_ answer: TestClient.Answer, _ location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200 && answer["error"] == nil, "\(answer.json.text)", sourceLocation: location)
    }

    /// Plants the texts.
    func plant() async throws {
        let (text, address) = (JSONValue.string(Self.text), JSONValue.string(Self.address))
        let claims: JSONValue = ["plan": text]
        let user: JSONValue = [
            "localId": .string(Self.userID), "email": address, "emailVerified": true, "displayName": text,
            "photoUrl": "javascript:xss=1", "customAttributes": .string(claims.text), "phoneNumber": "+15555550100",
            "rawPassword": "secret-1",
            "providerUserInfo": [
                [
                    "providerId": .string(Self.providerID), "rawId": text, "email": address, "displayName": text,
                    "photoUrl": "javascript:xss=1",
                ]
            ],
        ]
        accept(try await server.admin("accounts:batchCreate", ["users": [user], "allowOverwrite": true]))
        let body: JSONValue = ["email": address, "password": "secret-1"]
        let device = [("User-Agent", Self.device), ("Content-Type", "application/json")]
        let path = "/v1/accounts:signInWithPassword?key=\(TestServer.apiKey)"
        accept(try await server.client.send("POST", path, headers: device, body: Data(body.serialized())))
        let factor: JSONValue = ["phoneInfo": "+15555550101", "displayName": text]
        let factors: JSONValue = ["localId": .string(Self.userID), "mfa": ["enrollments": [factor]]]
        accept(try await server.admin("accounts:update", factors))
        _ = try await server.call("signInWithPassword", body.merging(["password": text]))
        let form = TestClient.encode([("providerId", Self.text), ("id_token", "e30.e30.")])
        _ = try await server.call("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(form)])
        _ = try await server.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": address])
        await server.recordRefusals()
        try await plantConfiguration(text)
        try await plantOperators()
    }

    private func plantConfiguration(_ text: JSONValue) async throws {
        accept(try await server.admin("POST", "/tenants", ["displayName": text]))
        let name: JSONValue = ["displayName": text]
        accept(try await server.admin("PATCH", "/oauthIdpConfigs/\(Self.providerID)?updateMask=displayName", name))
        let function = hook.origin + "/'%3Cimg%20src=x%20onerror=xss=1%3E"
        let hooks: JSONValue = ["blockingFunctions": ["triggers": ["beforeSendSms": ["functionUri": .string(function)]]]]
        accept(try await server.admin("PATCH", "/config?updateMask=blockingFunctions", hooks))
        // The latest change is the one that is looked at.
        server.clock.advance(by: .seconds(1))
        let template: JSONValue = ["senderDisplayName": text, "subject": text, "body": text]
        let sending: JSONValue = ["notification": ["sendEmail": ["resetPasswordTemplate": template]]]
        accept(try await server.admin("PATCH", "/config?updateMask=notification.sendEmail.resetPasswordTemplate", sending))
        hook.reply { _ in .init(403, json: ["error": ["message": .string(Self.text)]]) }
    }

    // A colleague with a name like an attack signs in from a device with one, and is invited once more.
    private func plantOperators() async throws {
        let invitations = server.core.useCases.console.invitations
        let colleague = try await ConsoleClient.enroll(server, role: .administrator, email: "a'onfocus=xss=1@example.com")
        server.clock.advance(by: .seconds(1))
        _ = try await colleague.get("/console/users")
        // A colleague's request names the users.
        let deletion = [("do", "delete"), ("confirmed", "yes"), ("user", Self.userID), ("user", Self.text)]
        #expect(try await colleague.post("/console/users", deletion).location?.hasPrefix("/console/approvals") == true)
        _ = try await invitations.invite("b'onfocus=xss=1@example.com", role: .viewer, tenantID: nil, actor: "cli")
    }

    /// What a page has that its own templates did not make.
    static let intruders = """
        (() => {
          const wrong = window.xss === undefined ? [] : ['a script ran'];
          for (const e of document.querySelectorAll('*')) {
            const names = e.getAttributeNames();
            if (e.matches('[data-xss], img, base, object, embed, svg[onload]')) wrong.push(e.outerHTML);
            if (names.some(name => name.startsWith('on') || name === 'autofocus' && !e.closest('dialog'))) wrong.push(e.outerHTML);
            if (e.matches('script') && !/^\\/console\\/assets\\//.test(e.getAttribute('src'))) wrong.push(e.outerHTML);
            const address = e.getAttribute('href') ?? e.getAttribute('src') ?? e.getAttribute('action') ?? '/';
            if (!/^(\\/(?!\\/)|#|\\?|data:,$)/.test(address)) wrong.push(e.outerHTML);
          }
          return wrong;
        })()
        """
}
