import HTTPTypes
import Project
import Testing

@testable import HTTPAPI

@Suite("Refusals")
struct BusinessErrorTests {
    @Test("of a client that tries too often are 400, and say when to come back")
    func throttled() {
        let rendered = ErrorEnvelope.render(APIError(.tooManyAttemptsTryLater, retryAfterSeconds: 90))
        #expect(rendered.status == .badRequest)
        #expect(rendered.headers[.retryAfter] == "90")
    }

    @Test("of a server that has too much to do are 429, and invite to try again in a second")
    func overload() {
        let rendered = ErrorEnvelope.render(APIError.overload("Too many."))
        #expect(rendered.status == .tooManyRequests)
        #expect(rendered.headers[.retryAfter] == "1")
    }

    @Test("of any other kind are 400 without a time")
    func other() {
        let rendered = ErrorEnvelope.render(APIError(.invalidEmail))
        #expect(rendered.status == .badRequest)
        #expect(rendered.headers[.retryAfter] == nil)
    }
}
