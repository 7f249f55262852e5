import Foundation
import Project
import Synchronization

/// A headless Chromium, driven over the DevTools protocol by two pipes (chromedevtools.github.io/devtools-protocol).
///
/// Every wait ends: with the expected event, with the end of the browser, or after ``patience``.
package final class Chromium: Sendable {
    /// A failure of the browser.
    package enum Failure: Error {
        /// There is no `chromium` on the path; `.ci/tools` installs it.
        case notInstalled
        /// The browser refused a command, or a script threw.
        case refused(String)
        /// The expected event did not happen in time.
        case late(String)
        case gone
    }

    /// How long any wait may take.
    package static let patience = Duration.seconds(600)

    private typealias Waiting = CheckedContinuation<JSONValue, any Error>

    private struct State {
        var number = 0
        var commands: [Int: Waiting] = [:]
        var targets: JSONObject = [:]
        var closed: Set<String> = []
        var watchers: [Int: (matches: @Sendable (JSONValue) -> Bool, waiting: Waiting)] = [:]
        var timers: [Int: Task<Void, any Error>] = [:]
        var problems: [String] = []
        var requests: [String] = []
        var files: [String: String] = [:]
        var wholeFiles: [String] = []
        var isGone = false
    }

    private let state = Mutex(State())
    private let commands: FileHandle

    private init(commands: FileHandle) { self.commands = commands }

    /// Runs a browser with a fresh profile while `body` runs.
    package static func running<T>(_ body: (Chromium) async throws -> T) async throws -> T {
        // A write to a browser that has ended must be an error and not end the test process.
        signal(SIGPIPE, SIG_IGN)
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let program = folders.map({ "\($0)/chromium" }).first(where: FileManager.default.isExecutableFile) else {
            throw Failure.notInstalled
        }
        return try await withTemporaryDirectory { directory in
            let (input, output) = (Pipe(), Pipe())
            let browser = Chromium(commands: input.fileHandleForWriting)
            let process = try start(program, profile: directory + "/profile", input: input, output: output)
            browser.listen(output.fileHandleForReading)
            defer { process.end() }
            _ = try await browser.send("Target.setDiscoverTargets", ["discover": true])
            return try await body(browser)
        }
    }

    /// Starts a browser that ends with the test.
    package static func start() async throws -> Chromium { try await Teardown.hold { try await running($0) } }

    private static func start(_ program: String, profile: String, input: Pipe, output: Pipe) throws -> ChildProcess {
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-popup-blocking",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--disable-back-forward-cache", "--no-first-run",
            "--user-data-dir=\(profile)", "--remote-debugging-pipe", "about:blank",
        ]
        // The browser reads commands from descriptor 3 and answers on 4. Its helper processes are in its process group.
        return try ChildProcess(
            program,
            arguments,
            streams: [.null, .null, .null, .input(input), .output(output)],
            leadsGroup: true
        )
    }

    // MARK: Tabs

    /// Opens a tab.
    package func open(_ address: String) async throws -> BrowserPage {
        let created = try await send("Target.createTarget", ["url": "about:blank"])
        let page = try await attach(created["targetId"]?.string ?? "")
        try await page.navigate(address)
        return page
    }

    /// Waits for the tab that a page opens.
    package func popup(of opener: BrowserPage) async throws -> BrowserPage {
        let target = try await wait("a popup") { number, waiting, state in
            let matches: @Sendable (JSONValue) -> Bool = { $0["openerId"]?.string == opener.target }
            if let known = state.targets.values.first(where: matches) { return known }
            state.watchers[number] = (matches, waiting)
            return nil
        }
        return try await attach(target["targetId"]?.string ?? "")
    }

    /// Closes a tab and drops its state.
    package func close(_ page: BrowserPage) async throws {
        state.withLock { state in
            state.closed.insert(page.target)
            state.targets[page.target] = nil
        }
        _ = try await send("Target.closeTarget", ["targetId": .string(page.target)])
    }

    /// Keeps what pages download in a directory.
    package func keepDownloads(in directory: String) async throws {
        let parameters: JSONValue = ["behavior": "allow", "downloadPath": .string(directory), "eventsEnabled": true]
        _ = try await send("Browser.setDownloadBehavior", parameters)
    }

    /// The names of the files that were downloaded whole.
    package var downloads: [String] { state.withLock { state in state.wholeFiles.compactMap { state.files[$0] } } }

    /// Uncaught errors of scripts and violations of pages' policies, in order.
    package var problems: [String] { state.withLock { $0.problems } }

    /// Addresses that pages navigated to on their own, in order.
    package var requests: [String] { state.withLock { $0.requests } }

    private func attach(_ target: String) async throws -> BrowserPage {
        let answer = try await send("Target.attachToTarget", ["targetId": .string(target), "flatten": true])
        let page = BrowserPage(browser: self, session: answer["sessionId"]?.string ?? "", target: target)
        for domain in ["Page", "Runtime", "Log"] { _ = try await send("\(domain).enable", [:], session: page.session) }
        return page
    }

    // MARK: The protocol

    /// Sends a command and returns its result.
    func send(
        _ method: String,
        _ parameters: JSONValue,
        session: String? = nil,
        patience: Duration = Chromium.patience
    ) async throws -> JSONValue {
        try await wait(method, patience: patience) { number, waiting, state in
            var message: JSONValue = ["id": .integer(Int64(number)), "method": .string(method), "params": parameters]
            if let session { message["sessionId"] = .string(session) }
            state.commands[number] = waiting
            try self.commands.write(contentsOf: Data(message.serialized()) + [0])
            return nil
        }
    }

    private func wait(
        _ what: String,
        patience: Duration = Chromium.patience,
        _ begin: (Int, Waiting, inout State) throws -> JSONValue?
    ) async throws -> JSONValue {
        try await withCheckedThrowingContinuation { waiting in
            let (number, known) = state.withLock { state -> (Int, Result<JSONValue, any Error>?) in
                state.number += 1
                if state.isGone { return (state.number, .failure(Failure.gone)) }
                do {
                    return (state.number, try begin(state.number, waiting, &state).map { .success($0) })
                } catch {
                    state.commands[state.number] = nil
                    return (state.number, .failure(error))
                }
            }
            if let known { return waiting.resume(with: known) }
            let timer = Task {
                try await Task.sleep(for: patience)
                self.take(number)?.resume(throwing: Failure.late(what))
            }
            state.withLock { $0.timers[number] = timer }
        }
    }

    private func take(_ number: Int) -> Waiting? {
        state.withLock { state in
            state.timers.removeValue(forKey: number)?.cancel()
            return state.commands.removeValue(forKey: number) ?? state.watchers.removeValue(forKey: number)?.waiting
        }
    }

    private func listen(_ answers: FileHandle) {
        Thread.detachNewThread {
            var buffer = Data()
            while true {
                let bytes = answers.availableData
                if bytes.isEmpty { return self.lose() }
                buffer.append(bytes)
                while let end = buffer.firstIndex(of: 0) {
                    if let message = try? JSONValue.parse(buffer[..<end]) { self.receive(message) }
                    buffer = Data(buffer[(end + 1)...])
                }
            }
        }
    }

    private func receive(_ message: JSONValue) {
        if let number = message["id"]?.integer {
            let waiting = take(Int(number))
            if let error = message["error"] {
                waiting?.resume(throwing: Failure.refused(error.text))
            } else {
                waiting?.resume(returning: message["result"] ?? .null)
            }
            return
        }
        guard let parameters = message["params"] else { return }
        switch message["method"]?.string {
        case "Target.targetCreated", "Target.targetInfoChanged": arrive(parameters["targetInfo"] ?? .null)
        case "Runtime.exceptionThrown": note(parameters["exceptionDetails"]?.text)
        case "Page.frameRequestedNavigation":
            state.withLock { $0.requests.append(parameters["url"]?.string ?? "") }
        case "Browser.downloadWillBegin", "Browser.downloadProgress":
            let (id, name) = (parameters["guid"]?.string ?? "", parameters["suggestedFilename"]?.string)
            state.withLock { state in
                if let name { state.files[id] = name }
                if parameters["state"] == "completed" { state.wholeFiles.append(id) }
            }
        case "Log.entryAdded":
            let entry = parameters["entry"]
            // Network errors are ignored, because pages report them themselves.
            if entry?["level"] == "error", entry?["source"] != "network" { note(entry?["text"]?.string) }
        default: break
        }
    }

    private func note(_ problem: String?) { state.withLock { $0.problems.append(problem ?? "") } }

    private func arrive(_ target: JSONValue) {
        let name = target["targetId"]?.string ?? ""
        let found = state.withLock { state -> [Int] in
            // Events of a tab may still arrive until it is closed.
            if state.closed.contains(name) { return [] }
            state.targets[name] = target
            return state.watchers.filter { $0.value.matches(target) }.map(\.key)
        }
        for number in found { take(number)?.resume(returning: target) }
    }

    private func lose() {
        let left = state.withLock { state in
            state.isGone = true
            return Array(state.commands.keys) + state.watchers.keys
        }
        for number in left { take(number)?.resume(throwing: Failure.gone) }
    }
}
