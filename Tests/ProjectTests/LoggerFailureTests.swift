import Logging
import Project
import TestKit
import Testing

@Suite("Failures in the log")
struct LoggerFailureTests {
    private struct Failure: Error {}

    @Test("work that was cancelled has not failed, so a shutdown or a hang-up logs no error")
    func cancelled() {
        let capture = LogCapture()
        let logger = capture.logger()
        logger.failure("rows not removed", CancellationError())
        #expect(capture.lines.isEmpty)
        logger.failure("rows not removed", Failure(), metadata: ["table": "t"])
        logger.failure("rows not counted", Failure(), level: .warning)
        #expect(capture.lines == ["error rows not removed error=failure table=t", "warning rows not counted error=failure"])
    }

    private struct Told: LoggedAtSource {
        let isLoggedAtSource: Bool
    }

    @Test("an error that was logged where it arose is not logged again, except for who looks closely")
    func logged() {
        let capture = LogCapture()
        let logger = capture.logger()
        logger.failure("rows not removed", Told(isLoggedAtSource: true))
        logger.failure("rows not removed", Told(isLoggedAtSource: false))
        #expect(capture.lines.map { $0.prefix { $0 != " " } } == ["debug", "error"])
    }
}
