import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
package import Project
import ServiceLifecycle
import Synchronization

/// A foreign service on loopback. It records its calls and answers as configured. It replaces Twilio, a web hook, reCAPTCHA, and
/// over HTTP/2, with or without TLS, Apple's push service.
package final class LoopbackService: Sendable {
    /// A recorded call.
    package struct Call: Sendable {
        package let method: String
        package let path: String
        package let query: String
        package let headers: [String: String]
        package let body: [UInt8]
        package let isHTTP2: Bool

        /// The body as JSON.
        package var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }

        /// The body as a form.
        package var form: [String: String] {
            let text = String(decoding: body, as: UTF8.self)
            return Dictionary(FormEncoding.pairs(Substring(text).utf8).map { ($0.name, $0.value) }) { $1 }
        }
    }

    /// Any answer.
    package struct Reply: Sendable {
        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]

        package init(_ status: Int = 200, json: JSONValue) {
            self.init(status, headers: [("Content-Type", "application/json")], body: Array(json.serialized()))
        }

        package init(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Distinguishes a stream of a connection from the connection itself.
    private struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let isHTTP2: Bool

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            isHTTP2 = source.channel.parent?.parent != nil
        }
    }

    private struct State {
        var answer: @Sendable (Call) async -> Reply = { _ in Reply(json: [:]) }
        var calls: [Call] = []
        var port = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// Runs a service while `body` runs.
    ///
    /// - Parameters:
    ///   - speaksHTTP2: Whether to serve only HTTP/2 with prior knowledge, over plain TCP.
    ///   - certificate: The certificate for TLS. ALPN then selects HTTP/2 or HTTP/1.1 (RFC 7301).
    ///   - body: Runs while the service runs.
    package static func running<T>(
        speaksHTTP2: Bool = false,
        certificate: TestCertificate? = nil,
        _ body: (LoopbackService) async throws -> T
    ) async throws -> T {
        let service = LoopbackService()
        let (ports, announced) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder<Context> { try await service.respond(to: $0, isHTTP2: $1.isHTTP2) },
            server: try certificate.map(secured) ?? (speaksHTTP2 ? .plaintextHTTP2() : .http1()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announced.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "loopback") { _ in SwiftLogNoOpLogHandler() }
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: Logger(label: "loopback")))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announced.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            service.state.withLock { $0.port = port }
            let outcome: Result<T, any Error>
            do { outcome = .success(try await body(service)) } catch { outcome = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try outcome.get()
        }
    }

    /// Starts a service that ends with the test.
    package static func start(speaksHTTP2: Bool = false, certificate: TestCertificate? = nil) async throws -> LoopbackService {
        try await Teardown.hold { try await running(speaksHTTP2: speaksHTTP2, certificate: certificate, $0) }
    }

    private static func secured(by certificate: TestCertificate) throws -> HTTPServerBuilder {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.certificateFile)
        let key = try NIOSSLPrivateKey(file: certificate.keyFile, format: .pem)
        return try .http2Upgrade(
            tlsConfiguration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
    }

    /// `http://127.0.0.1:PORT`.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The port that it listens on.
    package var port: Int { state.withLock { $0.port } }

    /// Sets the answer from now on.
    package func answer(_ answer: @escaping @Sendable (Call) -> (status: Int, body: JSONValue)) {
        reply { call in
            let (status, body) = answer(call)
            return Reply(status, json: body)
        }
    }

    /// Sets the answer from now on, with any status and after any time.
    package func reply(_ answer: @escaping @Sendable (Call) async -> Reply) { state.withLock { $0.answer = answer } }

    /// The calls so far.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// Waits for so many calls, and returns the last of them; an empty call if the waiting task is cancelled.
    package func call(_ number: Int) async -> Call {
        while !Task.isCancelled {
            if let call = state.withLock({ $0.calls.count >= number ? $0.calls[number - 1] : nil }) { return call }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return Call(method: "", path: "", query: "", headers: [:], body: [], isHTTP2: false)
    }

    private func respond(to request: Request, isHTTP2: Bool) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let call = Call(
            method: request.method.rawValue,
            path: request.uri.path,
            query: request.uri.query ?? "",
            headers: Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { $1 },
            body: Array(body.readableBytesView),
            isHTTP2: isHTTP2
        )
        let answer = state.withLock { state in
            state.calls.append(call)
            return state.answer
        }
        let reply = await answer(call)
        var headers = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: reply.status),
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: reply.body))
        )
    }
}
