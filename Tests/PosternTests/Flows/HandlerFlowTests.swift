import Accounts
import Federation
import HTTPAPI
import Project
import TestKit
import Testing

@testable import Server

@Suite("What the web handler needs of flows", .teardown, .timeLimit(.minutes(15)))
struct HandlerFlowTests {
    private static let call = CallContext(scope: Scope(projectID: "demo-test"))

    @Test("data and the first answer stay with the flow until it is completed", arguments: Engine.allCases)
    func keptAnswer(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        let flows = server.core.useCases.flows.authorization
        var start = AuthorizationFlows.Start(providerID: "oidc.implicit", redirectURI: FlowServer.redirect, session: .id(nil))
        start.handlerData = ["authType": "signInViaPopup", "eventId": "1234567890"]
        let begun = try await flows.start(start, scope: Scope(projectID: "demo-test"))
        let answer = try await FakeAuthorizationServer.visit(begun.authURI)
        let waiting = try #require(try await flows.waiting(for: begun.key, projectID: "demo-test"))
        #expect(waiting.handlerData?["eventId"] == "1234567890")
        #expect(waiting.sessionID == begun.sessionID)
        #expect(waiting.providerID == "oidc.implicit")
        #expect(!waiting.hasAnswer)
        #expect(try await flows.keep(form: answer.form, for: begun.key, context: Self.call))
        #expect(try await !flows.keep(form: "state=x", for: begun.key, context: Self.call))
        #expect(try await flows.waiting(for: begun.key, projectID: "other") == nil)
        guard case .state(let state) = begun.key else { throw Unexpected() }
        let body: JSONValue = [
            "requestUri": .string("\(FlowServer.redirect)?state=\(state)"),
            "sessionId": .string(try #require(begun.sessionID)),
        ]
        _ = try server.session(try await server.call("signInWithIdp", body))
        #expect(try await flows.waiting(for: begun.key, projectID: "demo-test") == nil)
    }

    @Test("nothing of a flow outlives its time")
    func expiry() async throws {
        let server = try await FlowServer.start()
        let flows = server.core.useCases.flows.authorization
        let start = AuthorizationFlows.Start(providerID: "oidc.code", redirectURI: FlowServer.redirect, session: .id(nil))
        let begun = try await flows.start(start, scope: Scope(projectID: "demo-test"))
        server.clock.advance(by: .seconds(600))
        #expect(try await flows.waiting(for: begun.key, projectID: "demo-test") == nil)
        #expect(try await !flows.keep(form: "state=x", for: begun.key, context: Self.call))
        // Ended flows stay for as long as clocks may differ.
        server.clock.advance(by: .seconds(61))
        #expect(try await server.core.expiredRows.remove() == 1)
    }

    private struct Unexpected: Error {}
}
