import Foundation
import Testing

@testable import PosternFirebase

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Everything that touches the route of the process, one after another.
@Suite(.serialized) enum ProcessTests {}

extension ProcessTests {
    /// What a session sees of a server on this machine that stands where Postern would.
    @Suite(.serialized) struct LoopbackTests {
        private static let signUp = "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=AIza%2B"

        @Test("A request arrives as it was made: method, path, query, headers and body") func arrives() async throws {
            let server = try LoopbackServer { _ in
                .init(status: 418, headers: ["X-Answer": "yes"], body: Data("{\"a\":1}".utf8))
            }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
                var request = try request(Self.signUp)
                request.httpMethod = method
                request.httpBody = method == "GET" ? nil : Data("{\"email\":\"a@example.com\"}".utf8)
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.setValue("com.example.app", forHTTPHeaderField: "X-Ios-Bundle-Identifier")
                let (data, response) = try await session().data(for: request)
                #expect((response as? HTTPURLResponse)?.statusCode == 418)
                #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Answer") == "yes")
                #expect(data == Data("{\"a\":1}".utf8))
                let seen = try #require(server.requests.last)
                #expect(seen.method == method)
                #expect(seen.target == "/v1/accounts:signUp?key=AIza%2B")
                #expect(seen.headers["content-type"] == "application/json")
                #expect(seen.headers["x-ios-bundle-identifier"] == "com.example.app")
                #expect(seen.headers["host"] == server.url.absoluteString.dropFirst("http://".count).description)
                #expect(seen.headers["cookie"] == nil)
                #expect(seen.body == request.httpBody ?? Data())
            }
        }

        @Test("A body of eight megabytes arrives whole, and so does an answer of that size") func large() async throws {
            let server = try LoopbackServer { .init(body: $0.body) }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            let body = Data((0..<8_388_608).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) })
            var request = try request(Self.signUp)
            request.httpMethod = "POST"
            request.httpBody = body
            let (data, _) = try await session().data(for: request)
            #expect(data == body)
        }

        @Test("A body that comes as a stream arrives whole", arguments: [0, 1, 65_536, 300_001])
        func stream(size: Int) async throws {
            let server = try LoopbackServer { .init(body: $0.body) }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            var request = try request(Self.signUp)
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: body)
            let (data, _) = try await session().data(for: request)
            #expect(data == body)
            #expect(server.requests.map(\.body) == [body])
        }

        @Test("A body stream that breaks is an error, and nothing is sent") func brokenStream() async throws {
            let server = try LoopbackServer { _ in .init() }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            var request = try request(Self.signUp)
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(fileAtPath: "/nowhere/at/all")
            await #expect(throws: (any Error).self) { try await session().data(for: request) }
            #expect(server.requests.isEmpty)
        }

        @Test("An upload task that hides its body is refused rather than sent without it") func hiddenBody() async throws {
            let server = try LoopbackServer { .init(body: $0.body) }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            var request = try request(Self.signUp)
            request.httpMethod = "POST"
            let body = Data("{}".utf8)
            // Linux hides the body of every upload task; elsewhere it arrives.
            do {
                let (data, _) = try await session().upload(for: request, from: body)
                #expect(data == body)
            } catch {
                #expect((error as? URLError)?.code == .requestBodyStreamExhausted)
                #expect(server.requests.isEmpty)
            }
        }

        @Test("A redirect is followed as the method asks", arguments: [301, 302, 303]) func redirect(status: Int) async throws {
            let server = try LoopbackServer { request in
                request.target.hasPrefix("/v1/") ? .redirect(status, to: "/moved?to=here") : .init(body: Data("here".utf8))
            }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            var request = try request(Self.signUp)
            request.httpMethod = "POST"
            request.httpBody = Data("{}".utf8)
            let (data, response) = try await session().data(for: request)
            #expect(data == Data("here".utf8))
            #expect(response.url?.path == "/moved")
            #expect(server.requests.map(\.method) == ["POST", "GET"])
            #expect(server.requests.map(\.target) == ["/v1/accounts:signUp?key=AIza%2B", "/moved?to=here"])
        }

        @Test("A redirect to one of the SDK's hosts comes to Postern, too") func redirectToGoogle() async throws {
            let server = try LoopbackServer { request in
                request.target.hasPrefix("/v1/accounts")
                    ? .redirect(302, to: "https://securetoken.googleapis.com/v1/token") : .init()
            }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            _ = try await session().data(for: request(Self.signUp))
            #expect(server.requests.map(\.target) == ["/v1/accounts:signUp?key=AIza%2B", "/v1/token"])
        }

        @Test("A redirect to another host goes there") func redirectElsewhere() async throws {
            let other = try LoopbackServer { _ in .init(body: Data("other".utf8)) }
            let target = other.url.absoluteString + "/elsewhere"
            let server = try LoopbackServer { _ in .redirect(302, to: target) }
            defer { server.stop(); other.stop() }
            try PosternFirebase.use(server.url)
            let (data, _) = try await session().data(for: request(Self.signUp))
            #expect(data == Data("other".utf8))
            #expect(other.requests.map(\.target) == ["/elsewhere"] && server.requests.count == 1)
        }

        @Test("Redirects without an end are an error") func endlessRedirect() async throws {
            let server = try LoopbackServer { _ in .redirect(302, to: "/v1/again") }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            #expect(try await failure(of: request(Self.signUp)) == .httpTooManyRedirects)
            #expect(server.requests.count < 30)
        }

        @Test("A slow answer is waited for as long as the request says, and no longer") func timeOut() async throws {
            let server = try LoopbackServer { request in
                Thread.sleep(forTimeInterval: request.target.hasSuffix("slow") ? 8 : 1.5)
                return .init(body: Data("late".utf8))
            }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            var patient = try request("https://identitytoolkit.googleapis.com/v1/quick")
            patient.timeoutInterval = 10
            let (data, _) = try await session().data(for: patient)
            #expect(data == Data("late".utf8))
            var hasty = try request("https://identitytoolkit.googleapis.com/v1/slow")
            hasty.timeoutInterval = 1
            let began = Date()
            #expect(await failure(of: hasty) == .timedOut)
            #expect(Date().timeIntervalSince(began) < 6)
        }

        @Test("A cancelled request is over at once and closes its connection") func cancelled() async throws {
            let server = try LoopbackServer { _ in
                Thread.sleep(forTimeInterval: 3)
                return .init()
            }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            let request = try request(Self.signUp)
            let began = Date()
            let task = Task { try await session().data(for: request) }
            while server.requests.isEmpty { try await Task.sleep(nanoseconds: 10_000_000) }
            task.cancel()
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(Date().timeIntervalSince(began) < 2.5)
            while server.brokenConnections == 0, Date().timeIntervalSince(began) < 8 {
                try await Task.sleep(nanoseconds: 50_000_000)
            }
            #expect(server.brokenConnections == 1)
        }

        @Test("A server that is away is an error, and nobody else is asked") func away() async throws {
            let server = try LoopbackServer { _ in .init() }
            server.stop()
            try PosternFirebase.use(server.url)
            #expect(try await failure(of: request(Self.signUp)) == .cannotConnectToHost)
        }

        @Test("A session's delegate hears of answer, data and end, once each and in this order") func delegate() async throws {
            let server = try LoopbackServer { _ in .init(status: 400, body: Data("{\"error\":{}}".utf8)) }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            let listener = Listener()
            let session = URLSession(
                configuration: PosternFirebase.configure(.ephemeral),
                delegate: listener,
                delegateQueue: nil
            )
            let heard = try await withCheckedThrowingContinuation { continuation in
                listener.end = { continuation.resume(returning: $0) }
                do {
                    session.dataTask(with: try request(Self.signUp)).resume()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            #expect(heard == ["400", "{\"error\":{}}", "end"])
            session.invalidateAndCancel()
        }

        @Test("Twenty requests at once each have their own answer") func concurrent() async throws {
            let server = try LoopbackServer { .init(body: Data($0.target.utf8)) }
            defer { server.stop() }
            try PosternFirebase.use(server.url)
            let session = session()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    let request = try request("https://securetoken.googleapis.com/v1/token?n=\(number)")
                    group.addTask { try await session.data(for: request).0 == Data("/v1/token?n=\(number)".utf8) }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }

        @Test("Requests for other hosts go where they went") func otherHosts() async throws {
            let other = try LoopbackServer { _ in .init(body: Data("other".utf8)) }
            let server = try LoopbackServer { _ in .init() }
            defer { server.stop(); other.stop() }
            try PosternFirebase.use(server.url)
            let (data, _) = try await session().data(for: request(other.url.absoluteString + "/v1/accounts:signUp"))
            #expect(data == Data("other".utf8))
            #expect(server.requests.isEmpty)
        }

        @Test("A second call replaces the server, and one that is refused leaves it as it is") func secondCall() async throws {
            let first = try LoopbackServer { _ in .init(body: Data("first".utf8)) }
            let second = try LoopbackServer { _ in .init(body: Data("second".utf8)) }
            defer { first.stop(); second.stop() }
            try PosternFirebase.use(first.url)
            let session = session()
            #expect(try await session.data(for: request(Self.signUp)).0 == Data("first".utf8))
            try PosternFirebase.use(second.url)
            #expect(try await session.data(for: request(Self.signUp)).0 == Data("second".utf8))
            let bad = try #require(URL(string: "http://auth.example.com"))
            #expect(throws: PosternFirebaseError.schemeIsNotHTTPS) { try PosternFirebase.use(bad) }
            let variable = ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]
            #expect(throws: PosternFirebaseError.emulatorHostIsSet) { try PosternFirebase.use(first.url, environment: variable) }
            #expect(try await session.data(for: request(Self.signUp)).0 == Data("second".utf8))
        }

        @Test("A configuration is changed once, and keeps what else is in it") func configuration() throws {
            let configuration = URLSessionConfiguration.default
            configuration.protocolClasses = [Other.self]
            configuration.timeoutIntervalForRequest = 17
            #expect(PosternFirebase.configure(configuration) === configuration)
            PosternFirebase.configure(configuration)
            let classes = try #require(configuration.protocolClasses)
            #expect(classes.count == 2 && classes[0] == PosternURLProtocol.self && classes[1] == Other.self)
            #expect(configuration.timeoutIntervalForRequest == 17)
        }

        private func failure(of request: URLRequest) async -> URLError.Code? {
            do {
                _ = try await session().data(for: request)
                return nil
            } catch {
                return (error as? URLError)?.code
            }
        }

        private func session() -> URLSession {
            URLSession(configuration: PosternFirebase.configure(.ephemeral))
        }

        private func request(_ url: String) throws -> URLRequest {
            URLRequest(url: try #require(URL(string: url)))
        }
    }
}

private final class Other: URLProtocol {}

private final class Listener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let heard = Locked<[String]>([])
    var end: @Sendable ([String]) -> Void = { _ in }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        heard.withLock { $0.append("\((response as? HTTPURLResponse)?.statusCode ?? 0)") }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        heard.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        heard.withLock { $0.append(error == nil ? "end" : "error") }
        end(heard.withLock { $0 })
    }
}
