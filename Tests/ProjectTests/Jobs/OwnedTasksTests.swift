import Foundation
import Project
import Testing

@Suite("Tasks that have an owner", .timeLimit(.minutes(5)))
struct OwnedTasksTests {
    @Test("go on when their caller has ended, are cancelled at the owner's end, and are waited for")
    func end() async {
        let tasks = OwnedTasks()
        let ended = LockedState(0)
        for _ in 0..<10 {
            tasks.begin {
                try? await Task.sleep(for: .seconds(3600))
                ended.withLock { $0 += 1 }
            }
        }
        #expect(tasks.count == 10)
        await tasks.end()
        #expect(ended.withLock { $0 } == 10 && tasks.count == 0)
    }

    @Test("have a value for all who wait for it, and are forgotten then")
    func value() async {
        let tasks = OwnedTasks()
        let task = tasks.begin { 7 }
        #expect(await task.value == 7 && tasks.count == 0)
    }

    @Test("are cancelled from the beginning after the owner's end")
    func late() async {
        let tasks = OwnedTasks()
        await tasks.end()
        #expect(await tasks.begin { Task.isCancelled }.value)
    }
}

@Suite("Work with files", .timeLimit(.minutes(5)))
struct FileWorkTests {
    private struct Failure: Error {}

    @Test("is done on threads of its own, and what it throws reaches the caller")
    func threads() async throws {
        let name = try await FileWork.run { Thread.current.name ?? "" }
        #expect(name.hasPrefix("files"))
        await #expect(throws: Failure.self) { try await FileWork.run { throw Failure() } }
    }

    @Test("is done to its end by a task that was cancelled")
    func cancelled() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await FileWork.run { 7 }
        }
        task.cancel()
        #expect(try await task.value == 7)
    }
}
