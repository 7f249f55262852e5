import Testing

@testable import HTTPAPI

@Suite("An error of a request")
struct GoneClientTests {
    private struct Failure: Error {}

    private static func cancelOwnTask() { withUnsafeCurrentTask { $0?.cancel() } }

    // What is answered, and how often the answer was made. It has a task of its own, which is cancelled where the client has gone.
    private func rendered(_ error: any Error, isGone: Bool) async -> (Result<String, any Error>, Int) {
        await Task {
            if isGone { Self.cancelOwnTask() }
            var times = 0
            let answer = Result<String, any Error> {
                try ErrorRendering.answer(to: error) {
                    times += 1
                    return "page"
                }
            }
            return (answer, times)
        }.value
    }

    @Test("whose client is there is answered")
    func present() async throws {
        for error in [Failure(), CancellationError()] as [any Error] {
            let (answer, times) = await rendered(error, isGone: false)
            #expect(times == 1)
            let page = try answer.get()
            #expect(page == "page")
        }
    }

    @Test("whose client has gone is noted and has no answer; work that was cancelled for that is not noted at all")
    func gone() async {
        for (error, expected) in [(Failure(), 1), (CancellationError(), 0)] as [(any Error, Int)] {
            let (answer, times) = await rendered(error, isGone: true)
            #expect(times == expected)
            #expect(throws: CancellationError.self) { try answer.get() }
        }
    }
}
