import Project
import Testing

@testable import Accounts

@Suite("What is known of a refused call")
struct RefusalFactsTests {
    private let call = CallContext(scope: Scope(projectID: "p"))

    private func refusal(_ error: APIError, _ named: RefusedCall.Subject? = nil) -> RefusedCall {
        RefusedCall(error, subject: named, context: call)
    }

    @Test("a sign-in that is followed leaves its last provider and its steps with its refusal, each step once")
    func followed() async throws {
        let error = await #expect(throws: APIError.self) {
            try await call.refusalFacts.following("oidc.named") {
                call.inScope(Scope(projectID: "p", tenantID: "t")).refusalFacts.pass(.methodEnabled)
                call.refusalFacts.note(provider: "oidc.found")
                call.refusalFacts.note(provider: nil)
                call.refusalFacts.pass(.credentialVerified)
                call.refusalFacts.pass(.methodEnabled)
                throw APIError(.invalidIdPResponse)
            }
        }
        let refused = refusal(try #require(error))
        #expect(refused.provider == "oidc.found" && refused.steps == [.methodEnabled, .credentialVerified])
    }

    @Test("what is refused after a sign-in, or in another try, is not told as a part of it")
    func tries() async throws {
        try await call.refusalFacts.following("password") {
            call.refusalFacts.note(localID: "u")
            call.refusalFacts.pass(.accountFound)
        }
        call.refusalFacts.pass(.functionsAgreed)
        let refused = refusal(APIError(.invalidRefreshToken))
        #expect(refused.provider == nil && refused.steps.isEmpty && refused.subject == nil)
        // A caller goes on after the refusal of the first account.
        let first = APIError(.userDisabled).about(.account("a"), heldBy: "b")
        let second = refusal(APIError(.emailExists))
        #expect(refusal(first).subject == .account("a") && refusal(first).heldBy == "b")
        #expect(second.subject == nil && second.heldBy == nil)
    }

    @Test("the refused account is the rule's, then the credential's, then the caller's, then that of a code's address")
    func precedence() {
        let (ofRule, ofCode) = (
            APIError(.userDisabled).about(.account("a")), APIError(.invalidCode).about(.email("e@example.com"))
        )
        #expect(refusal(ofRule, .idToken("t")).subject == .account("a"))
        #expect(refusal(ofCode, .idToken("t")).subject == .idToken("t"))
        #expect(refusal(ofCode, .email("typed@example.com")).subject == .email("e@example.com"))
        #expect(refusal(ofCode).subject == .email("e@example.com"))
        #expect(refusal(APIError(.invalidCode), .email("typed@example.com")).subject == .email("typed@example.com"))
        call.refusalFacts.note(localID: "c")
        #expect(refusal(ofRule, .idToken("t")).subject == .account("a"))
        #expect(refusal(ofCode, .idToken("t")).subject == .account("c"))
    }
}
