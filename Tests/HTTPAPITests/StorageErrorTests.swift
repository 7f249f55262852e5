import HTTPTypes
import Storage
import Testing

@testable import HTTPAPI

@Suite("Errors of the store")
struct StorageErrorTests {
    @Test(
        "that time may mend, or whose outcome is unknown, are answered with 503 and without their reason",
        arguments: [StorageError.busy, .unavailable("db1 is away"), .outcomeUnknown, .readOnly, .full, .closed]
    )
    func unavailable(error: StorageError) {
        let rendered = ErrorEnvelope.render(error)
        #expect(rendered.status == .serviceUnavailable)
        #expect(rendered.headers[.retryAfter] == "1")
        #expect(rendered.hiddenCause as? StorageError == error)
    }

    @Test("of any other kind are answered with 500", arguments: [StorageError.other("syntax"), .decoding(column: "email")])
    func other(error: StorageError) { #expect(ErrorEnvelope.render(error).status == .internalServerError) }
}
