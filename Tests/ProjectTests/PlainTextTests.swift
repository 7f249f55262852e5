import Project
import Testing

@Suite("Errors in the log")
struct PlainTextTests {
    private enum Plain: Error { case outcomeUnknown, other(String), nested(any Error), named(host: String, port: Int) }

    private struct CannotOpen: Error {}

    private struct Refused: Error {
        let status: Int
        let cause: (any Error)?
    }

    @Test("are written in words, without the notation of Swift")
    func words() {
        #expect(Plain.outcomeUnknown.plainText == "outcome unknown")
        #expect(Plain.other("the disk is full").plainText == "other: the disk is full")
        #expect(Plain.nested(OutboundError.unreachable).plainText == "nested: the server could not be reached")
        #expect(Plain.named(host: "a", port: 1).plainText == "named: a, 1")
        #expect(CannotOpen().plainText == "cannot open")
        let late = Refused(status: 401, cause: OutboundError.timedOut)
        #expect(late.plainText == "refused: 401, the server did not answer in time")
        #expect(Refused(status: 401, cause: nil).plainText == "refused: 401, none")
    }
}
