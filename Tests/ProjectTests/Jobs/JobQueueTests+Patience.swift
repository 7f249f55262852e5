import Testing

@testable import Project

extension JobQueueTests {
    @Test(
        "are refused alone when they may wait less long than the others; one that is begun is done",
        arguments: [nil, Duration.seconds(600)]
    )
    func ownPatience(common: Duration?) async throws {
        let desk = Desk(patience: common)
        let begun = await desk.waiting(0, within: .seconds(2))
        let work = desk.take()
        let others = [await desk.waiting(1), await desk.waiting(2, within: .seconds(600))]
        // By then the time of the first one is over, too.
        await #expect(throws: QueueError.full) { try await desk.submit(3, within: .seconds(3)) }
        #expect(desk.queue.load == JobLoad(running: 1, waiting: 2))
        work?()
        #expect(try await begun.value == 0)
        for _ in others { desk.take()?() }
        for (number, task) in zip(1..., others) { #expect(try await task.value == number) }
    }
}
