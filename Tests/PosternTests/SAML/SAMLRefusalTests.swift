import Foundation
import Project
import SAML
import SAMLTestKit
import Storage
import TestKit
import Testing

@testable import Server

@Suite("SAML responses are refused", .teardown, .timeLimit(.minutes(15)))
struct SAMLRefusalTests {
    private let invalid = "INVALID_IDP_RESPONSE : "

    @Test("with the name of the check that fails, and nothing is left of them")
    func checks() async throws {
        let stage = try await SAMLStage.start()
        let before = try await stage.begin()
        let cases: [(SAMLRefusal, @Sendable (inout SAMLTestResponse) -> Void)] = [
            (.inResponseTo, { $0.assertion?.inResponseTo = before.request.id }),
            (.responseInResponseTo, { $0.inResponseTo = before.request.id }),
            (.recipient, { $0.assertion?.recipient = "https://evil.example/callback" }),
            (.destination, { $0.destination = "https://evil.example/callback" }),
            (.audience, { $0.assertion?.audiences = [["https://other.example/saml"]] }),
            (.issuer, { $0.assertion?.issuer = "https://idp.example/second" }),
            (.expired, { $0.assertion?.notOnOrAfter = "2001-01-01T00:00:00Z" }),
            (
                .statusAuthnFailed,
                { response in
                    response.status = "urn:oasis:names:tc:SAML:2.0:status:Responder"
                    response.innerStatus = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"
                    response.assertion = nil
                    response.signed = .response
                }
            ),
            (.unsigned, { $0.signed = .nothing }),
        ]
        for (refusal, change) in cases {
            let visit = try await stage.begin()
            let answer = try await stage.complete(try stage.form(visit, change), visit)
            #expect(answer.errorMessage == invalid + refusal.text, "\(refusal)")
            #expect(answer.status == 400 && answer["idToken"] == nil)
            // The flow is over, whatever came.
            expectRefused(try await stage.complete(try stage.form(visit), visit), invalid + "The sign-in flow is unknown")
        }
        #expect(try await stage.server.core.database.read { try $0.query("SELECT local_id FROM accounts").count } == 0)
    }

    @Test("when they are another provider's, another flow's, unasked for, or come again", arguments: Engine.allCases)
    func strangers(engine: Engine) async throws {
        let stage = try await SAMLStage.start(on: engine)
        let over = invalid + "The sign-in flow is unknown, over, or has expired."
        // Nobody asked.
        let visit = try await stage.begin()
        let form = try stage.form(visit)
        let xml = try stage.provider.respond(to: visit.request, nameID: "u", now: stage.server.clock.now)
        let unasked = SAMLStage.form(xml, nil) + "&providerId=saml.test"
        expectRefused(
            try await stage.complete(unasked, visit),
            invalid + "The SAML response belongs to no sign-in that began here."
        )
        expectRefused(try await stage.complete(SAMLStage.form(xml, "guess"), visit), over)
        // Another provider's response, and this provider's for another one's flow.
        let elsewhere = try await stage.begin("saml.other")
        expectRefused(try await stage.complete(try stage.form(elsewhere), elsewhere))
        expectRefused(try await stage.complete(form + "&providerId=saml.other", visit), over)
        // Another session's.
        let thief = SAMLStage.Visit(request: visit.request, relayState: visit.relayState, sessionID: "guess")
        expectRefused(try await stage.complete(form, thief), invalid + "The session id does not belong")
        _ = try stage.server.session(try await stage.complete(form, visit))
        expectRefused(try await stage.complete(form, visit), over)
        // The response of one flow under the state of the next.
        let next = try await stage.begin()
        let moved = form.replacing(visit.relayState, with: next.relayState)
        expectRefused(try await stage.complete(moved, next), invalid + SAMLRefusal.responseInResponseTo.text)
    }

    @Test("when a provider uses an assertion's id again, on any node", arguments: Engine.allCases)
    func replay(engine: Engine) async throws {
        let stage = try await SAMLStage.start(on: engine)
        let first = try await stage.begin()
        _ = try stage.server.session(try await stage.complete(try stage.form(first) { $0.assertion?.id = "_fixed" }, first))
        let second = try await stage.begin()
        let answer = try await stage.complete(try stage.form(second) { $0.assertion?.id = "_fixed" }, second)
        #expect(answer.errorMessage == invalid + "The assertion was accepted before.")
        // Another provider's ids are its own.
        let other = try await stage.begin("saml.other")
        let form = try stage.form(other, nameID: "u", by: stage.other) { $0.assertion?.id = "_fixed" }
        _ = try stage.server.session(try await stage.complete(form, other))
    }

    @Test("late, or when the provider was switched off meanwhile, or names nobody who comes back")
    func late() async throws {
        let stage = try await SAMLStage.start()
        let slow = try await stage.begin()
        let form = try stage.form(slow)
        stage.server.clock.advance(by: .seconds(400))
        let answer = try await stage.complete(form, slow)
        expectRefused(answer, invalid)
        let transient = try await stage.begin()
        let passing = try stage.form(transient) {
            $0.assertion?.nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
        }
        expectRefused(try await stage.complete(passing, transient), invalid)
        let off = try await stage.begin()
        let path = "/inboundSamlConfigs/saml.test?updateMask=enabled"
        #expect(try await stage.server.admin("PATCH", path, ["enabled": false]).status == 200)
        expectRefused(try await stage.complete(try stage.form(off), off), "OPERATION_NOT_ALLOWED : ")
    }

    @Test("and count as refused sign-ins of the provider that the flow knows, with how far they came")
    func counted() async throws {
        let stage = try await SAMLStage.start()
        func refusals() async throws -> [JSONValue] {
            stage.server.clock.advance(by: .seconds(61))
            return try await stage.server.auditDetails("refused")
        }
        let visit = try await stage.begin()
        let foreign = try stage.form(visit) { $0.assertion?.audiences = [["https://other.example/saml"]] }
        expectRefused(try await stage.complete(foreign, visit), invalid)
        let guessed = try await stage.begin()
        let guess = SAMLStage.Visit(request: guessed.request, relayState: guessed.relayState, sessionID: "guess")
        expectRefused(try await stage.complete(try stage.form(guessed), guess), invalid)
        var found = try await refusals()
        #expect(found.count == 1)
        for detail in found {
            #expect(detail["code"] == "INVALID_IDP_RESPONSE" && detail["provider"] == "saml.test", "\(detail)")
            #expect(detail["steps"] == ["methodEnabled"], "\(detail)")
        }
        // What comes after the response is the same sign-in's.
        let user = try stage.server.session(try await stage.signIn())
        let disabling: JSONValue = ["localId": .string(user.localID), "disableUser": true]
        #expect(try await stage.server.callAsAdmin("update", disabling).status == 200)
        expectRefused(try await stage.signIn(), "USER_DISABLED")
        found = try await refusals().filter { $0["code"] == "USER_DISABLED" }
        #expect(found.count == 1 && found[0]["provider"] == "saml.test", "\(found)")
        #expect(found.first?["steps"] == ["methodEnabled", "credentialVerified"], "\(found)")
        // A form of no flow is nobody's.
        let xml = try stage.provider.respond(to: visit.request, nameID: "u", now: stage.server.clock.now)
        expectRefused(try await stage.complete(SAMLStage.form(xml, "made-up"), visit), invalid)
        #expect(try await refusals().contains { $0["code"] == "INVALID_IDP_RESPONSE" && $0["provider"] == nil })
    }

    @Test("and no sign-in begins, where the configuration is not complete, off, or unknown")
    func configurations() async throws {
        let stage = try await SAMLStage.start()
        for (providerID, message) in [
            ("saml.off", "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."),
            ("saml.empty", "OPERATION_NOT_ALLOWED : The identity provider configuration is incomplete."),
            ("saml.none", "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
        ] {
            let start: JSONValue = ["providerId": .string(providerID), "continueUri": .string(FlowServer.redirect)]
            #expect(try await stage.server.call("createAuthUri", start).errorMessage == message, "\(providerID)")
        }
        let form = TestClient.encode([("providerId", "saml.test"), ("id_token", "{\"sub\": \"x\"}")])
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(form)]
        expectRefused(try await stage.server.call("signInWithIdp", body), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        for response in ["%", "AA", "PD94bWw+", "{}"] {
            let visit = try await stage.begin()
            let form = TestClient.encode([("SAMLResponse", response), ("RelayState", visit.relayState)])
            expectRefused(try await stage.complete(form, visit), invalid, response)
        }
    }
}
