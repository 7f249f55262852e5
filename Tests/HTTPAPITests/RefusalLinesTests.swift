import Project
import Testing

@testable import HTTPAPI

@Suite("Lines of refused requests")
struct RefusalLinesTests {
    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + milliseconds) }

    @Test("are bounded for each second, and the next line says how many were left out")
    func bounded() {
        let lines = RefusalLines()
        for number in 0..<1000 {
            let (isTold, leftOut) = lines.admit(at: time(Int64(number % 1000)))
            #expect(isTold == (number < RefusalLines.perSecond))
            #expect(leftOut == 0)
        }
        #expect(lines.admit(at: time(1000)) == (true, 900))
        #expect(lines.admit(at: time(1001)) == (true, 0))
        // A clock that is set back begins a second, too.
        #expect(lines.admit(at: time(-5000)) == (true, 0))
    }
}
