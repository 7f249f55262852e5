import Foundation
package import Project
import Synchronization

/// A headless Chromium, driven over the DevTools protocol by two pipes (chromedevtools.github.io/devtools-protocol).
package final class Chromium: Sendable {
    /// What the browser did not do.
    package enum Failure: Error {
        /// There is no `chromium` on the path; `.ci/tools` installs it.
        case notInstalled
        /// The browser refused a command, or a script threw.
        case refused(String)
        case gone
    }

    private struct State {
        var number = 0
        var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
        var targets: [String: JSONValue] = [:]
        var watchers: [(matches: @Sendable (JSONValue) -> Bool, continuation: CheckedContinuation<JSONValue, any Error>)] = []
        var isGone = false
    }

    private let state = Mutex(State())
    private let commands: FileHandle

    private init(commands: FileHandle) { self.commands = commands }

    /// Runs a browser while `body` runs.
    package static func running<T>(_ body: (Chromium) async throws -> T) async throws -> T {
        let names = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/chromium" }
        guard let program = names.first(where: FileManager.default.isExecutableFile) else { throw Failure.notInstalled }
        return try await withTemporaryDirectory { directory in
            let (input, output) = (directory + "/in", directory + "/out")
            guard mkfifo(input, 0o600) == 0, mkfifo(output, 0o600) == 0,
                let commands = FileHandle(forUpdatingAtPath: input), let answers = FileHandle(forUpdatingAtPath: output)
            else { throw Failure.gone }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c", #"exec "$0" "${@:3}" 3<"$1" 4>"$2""#, program, input, output, "--headless=new", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--disable-popup-blocking", "--no-first-run",
                "--user-data-dir=\(directory)/profile", "--remote-debugging-pipe", "about:blank",
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let browser = Chromium(commands: commands)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in
                browser.lose()
                end.finish()
            }
            browser.listen(answers)
            try process.run()
            let outcome: Result<T, any Error>
            do {
                _ = try await browser.send("Target.setDiscoverTargets", ["discover": true])
                outcome = .success(try await body(browser))
            } catch {
                outcome = .failure(error)
            }
            _ = try? await browser.send("Browser.close", [:])
            process.terminate()
            for await _ in ended {}
            // Ends the thread that reads: it holds the other end open itself.
            try? answers.write(contentsOf: Data("end\0".utf8))
            return try outcome.get()
        }
    }

    /// A tab.
    package struct Page: Sendable {
        let browser: Chromium
        let session: String
        /// Names the tab.
        package let target: String

        /// Goes to an address.
        package func navigate(_ address: String) async throws {
            _ = try await browser.send("Page.navigate", ["url": .string(address)], session: session)
        }

        /// Runs a script as if the user had done it, and waits for the promise that it may return.
        package func run(_ script: String) async throws -> JSONValue {
            let answer = try await browser.send(
                "Runtime.evaluate",
                [
                    "expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true,
                ],
                session: session
            )
            if let problem = answer["exceptionDetails"] { throw Failure.refused(problem.text) }
            return answer["result"]?["value"] ?? .null
        }

        /// Runs a script once a condition holds, whatever pages come before.
        package func run(_ script: String, once condition: String) async throws -> JSONValue {
            let wait = """
                new Promise(done => { const look = () => (\(condition)) ? done(true) : setTimeout(look, 20); look(); })
                """
            while true {
                do {
                    _ = try await run(wait)
                    return try await run(script)
                } catch Failure.refused(let reason) where Self.isNavigation(reason) {
                    continue
                }
            }
        }

        private static func isNavigation(_ reason: String) -> Bool {
            ["navigated", "destroyed", "Cannot find context"].contains { reason.contains($0) }
        }
    }

    /// Opens a tab.
    package func open(_ address: String) async throws -> Page {
        let created = try await send("Target.createTarget", ["url": .string(address)])
        return try await attach(created["targetId"]?.string ?? "")
    }

    /// Waits for a tab whose information fits, such as a popup with a title.
    package func page(where matches: @escaping @Sendable (JSONValue) -> Bool) async throws -> Page {
        let info: JSONValue = try await withCheckedThrowingContinuation { continuation in
            let known: JSONValue? = state.withLock { state in
                if state.isGone { return .null }
                if let target = state.targets.values.first(where: matches) { return target }
                state.watchers.append((matches, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        return try await attach(info["targetId"]?.string ?? "")
    }

    /// Closes a tab, and forgets it.
    package func close(_ page: Page) async {
        _ = state.withLock { $0.targets.removeValue(forKey: page.target) }
        _ = try? await send("Target.closeTarget", ["targetId": .string(page.target)])
        _ = state.withLock { $0.targets.removeValue(forKey: page.target) }
    }

    private func attach(_ target: String) async throws -> Page {
        let answer = try await send("Target.attachToTarget", ["targetId": .string(target), "flatten": true])
        return Page(browser: self, session: answer["sessionId"]?.string ?? "", target: target)
    }

    func send(_ method: String, _ parameters: JSONValue, session: String? = nil) async throws -> JSONValue {
        try await withCheckedThrowingContinuation { continuation in
            let number: Int? = state.withLock { state in
                if state.isGone { return nil }
                state.number += 1
                state.waiting[state.number] = continuation
                return state.number
            }
            guard let number else { return continuation.resume(throwing: Failure.gone) }
            var message: JSONValue = ["id": .integer(Int64(number)), "method": .string(method), "params": parameters]
            if let session { message["sessionId"] = .string(session) }
            do { try commands.write(contentsOf: Data(message.serialized()) + [0]) } catch { lose() }
        }
    }

    private func listen(_ answers: FileHandle) {
        Thread.detachNewThread {
            var buffer = Data()
            while true {
                let bytes = answers.availableData
                if bytes.isEmpty { return }
                buffer.append(bytes)
                while let end = buffer.firstIndex(of: 0) {
                    let message = Data(buffer[buffer.startIndex..<end])
                    buffer = Data(buffer[buffer.index(after: end)...])
                    if message == Data("end".utf8) { return }
                    if let message = try? JSONValue.parse(message) { self.receive(message) }
                }
            }
        }
    }

    private func receive(_ message: JSONValue) {
        if let number = message["id"]?.integer {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: Int(number)) }
            if let error = message["error"] {
                continuation?.resume(throwing: Failure.refused(error.text))
            } else {
                continuation?.resume(returning: message["result"] ?? .null)
            }
            return
        }
        guard let info = message["params"]?["targetInfo"], let target = info["targetId"]?.string else { return }
        let found = state.withLock { state in
            state.targets[target] = info
            let found = state.watchers.filter { $0.matches(info) }
            state.watchers.removeAll { $0.matches(info) }
            return found.map(\.continuation)
        }
        for continuation in found { continuation.resume(returning: info) }
    }

    private func lose() {
        let left = state.withLock { state in
            state.isGone = true
            let left = Array(state.waiting.values) + state.watchers.map(\.continuation)
            state.waiting = [:]
            state.watchers = []
            return left
        }
        for continuation in left { continuation.resume(throwing: Failure.gone) }
    }
}
