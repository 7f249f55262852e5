import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way to Postern, and the answer on its way back to the session that made it.
///
/// It implements no method for authentication challenges: the system handles them, so a certificate is trusted here where it would be
/// trusted anywhere else.
final class Load: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct State {
        /// Who is told of the answer; nil after the last word.
        var owner: PosternURLProtocol?
        var task: URLSessionTask?
    }

    private let state: Locked<State>
    private let thread = ClientThread()
    /// Works with the other session. On Linux all sessions share a queue, on which a URLProtocol is called and must not wait for one.
    private let queue = DispatchQueue(label: "PosternFirebase", qos: .userInitiated)
    #if canImport(FoundationNetworking)
        private let answer = Locked(Data())
    #endif

    init(for owner: PosternURLProtocol) {
        state = Locked(State(owner: owner))
    }

    /// - Parameter request: The request, addressed to Postern.
    func start(_ request: URLRequest) {
        queue.async { [self] in
            var request = request
            do {
                if let stream = request.httpBodyStream {
                    // Foundation hands a URLProtocol every body as a stream, which can be read once. A session sends some requests
                    // twice, as when the server has just closed a connection, and needs the body again; the SDK's are small.
                    guard let body = try read(stream) else { return }
                    request.httpBody = body
                }
                send(request)
            } catch {
                finish(error)
            }
        }
    }

    /// Ends the load; its owner hears no more of it.
    func stop() {
        state.withLock { $0.owner = nil }
        queue.async { [self] in state.withLock { $0.task }?.cancel() }
    }

    /// - Returns: All that `stream` holds, or nil where the load was stopped meanwhile.
    private func read(_ stream: InputStream) throws -> Data? {
        stream.open()
        defer { stream.close() }
        var body = Data()
        var buffer = [UInt8](repeating: 0, count: 65536)
        while state.withLock({ $0.owner != nil }) {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count == 0 { return body }
            guard count > 0 else { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
            body.append(contentsOf: buffer[..<count])
        }
        return nil
    }

    private func send(_ request: URLRequest) {
        let configuration = URLSessionConfiguration.ephemeral
        // The request is addressed to Postern, so the class would not take it; without it that is plain.
        configuration.protocolClasses = configuration.protocolClasses?.filter { $0 != PosternURLProtocol.self }
        configuration.timeoutIntervalForRequest = request.timeoutInterval
        // Nothing is to be kept of an answer with tokens in it, and cookies are the business of the session that asked.
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        #if !canImport(FoundationNetworking)
            // As the SDK's fetcher demands of its own sessions.
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        // The SDK, too, makes a session for each request: a connection kept from before an app slept is dead when it wakes.
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let task = session.dataTask(with: request)
        let isWanted = state.withLock { state in
            state.task = task
            return state.owner != nil
        }
        guard isWanted else { return session.invalidateAndCancel() }
        task.resume()
    }

    // MARK: Answers

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        tell { $1.urlProtocol($0, didReceive: response, cacheStoragePolicy: .notAllowed) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        #if canImport(FoundationNetworking)
            // Its client keeps only the last piece that it was told of where a completion handler waits for the whole.
            answer.withLock { $0.append(data) }
        #else
            tell { $1.urlProtocol($0, didLoad: data) }
        #endif
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Its client ends the process when it is told of a redirect, so the redirect is followed here.
            completionHandler(Route.current?.request(for: request) ?? request)
        #else
            // The session that asked decides, and makes another URLProtocol if it follows. This one is over.
            completionHandler(nil)
            task.cancel()
            tell(last: true) {
                $1.urlProtocol($0, wasRedirectedTo: request, redirectResponse: response)
                $1.urlProtocol($0, didFailWithError: CocoaError(.userCancelled))
            }
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        session.finishTasksAndInvalidate()
        finish(error)
    }

    private func finish(_ error: (any Error)?) {
        if let error { return tell(last: true) { $1.urlProtocol($0, didFailWithError: error) } }
        #if canImport(FoundationNetworking)
            let data = answer.withLock { $0 }
            if !data.isEmpty { tell { $1.urlProtocol($0, didLoad: data) } }
        #endif
        tell(last: true) { $1.urlProtocolDidFinishLoading($0) }
    }

    /// Tells the owner's client something, unless the load was stopped or has said its last word.
    private func tell(last: Bool = false, _ message: @escaping @Sendable (URLProtocol, any URLProtocolClient) -> Void) {
        thread.perform { [state] in
            let owner = state.withLock { state in
                defer { if last { state.owner = nil } }
                return state.owner
            }
            guard let owner, let client = owner.client else { return }
            message(owner, client)
        }
    }
}

/// The thread on which a URLProtocol was started: on Apple's platforms its client is to be called there, in the mode of the run loop in
/// which the start came. Where no run loop runs, as on Linux, the client is called at once.
private final class ClientThread: @unchecked Sendable {
    #if canImport(Darwin)
        private let runLoop: CFRunLoop? = CFRunLoopGetCurrent()
        private let mode: CFRunLoopMode? = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent())
    #endif

    func perform(_ work: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
            guard let runLoop, let mode else { return work() }
            CFRunLoopPerformBlock(runLoop, mode.rawValue, work)
            CFRunLoopWakeUp(runLoop)
        #else
            work()
        #endif
    }
}
