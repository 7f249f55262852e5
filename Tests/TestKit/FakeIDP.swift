import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import Project
import ServiceLifecycle
import Synchronization

/// A real OpenID provider on loopback: discovery, key sets with rotation, signed tokens, and faults on request.
///
/// One server hosts any number of issuers, distinguished by the first segment of the path: `http://127.0.0.1:PORT/google`.
package final class FakeIDP: Sendable {
    /// A fault at a path.
    package enum Fault: Sendable {
        case status(Int)
        case delay(Duration)
        case body(String)
        case oversized(bytes: Int)
        case redirect(to: String)
        /// Sends a byte now and then, without end.
        case drip
    }

    private struct State {
        var keys: [TestKey]
        var faults: [String: Fault] = [:]
        var rewritings: [String: Rewriting] = [:]
        var counts: [String: Int] = [:]
        var keySet: JSONValue?
        var discoveryOverrides: JSONValue = [:]
        var cacheControl: String?
        var port = 0
        var rotations = 0
        var gameCenterKeys: [String: [UInt8]] = [:]
    }

    private let state: Mutex<State>
    /// The apps that are registered with its providers, and the users' grants.
    package let apps = FakeApps()

    // The first keys of every provider of this process: a debug build searches for the primes of one longer than most tests take.
    private static let firstKeys = Result { [try TestKey.rsa(kid: "rsa-1"), TestKey.p256(kid: "ec-1")] }

    package init() throws {
        state = Mutex(State(keys: try Self.firstKeys.get()))
    }

    /// Runs the provider while `body` runs.
    package static func running<T>(port: Int = 0, _ body: (FakeIDP) async throws -> T) async throws -> T {
        let provider = try FakeIDP()
        let (ports, announced) = AsyncStream.makeStream(of: Int.self)
        let application = provider.application(port: port) { announced.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: Logger(label: "idp")))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announced.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            guard let bound = await iterator.next() else { throw StartFailed() }
            provider.state.withLock { $0.port = bound }
            do {
                let result = try await body(provider)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return result
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
    }

    /// Starts a provider that ends with the test.
    package static func start(port: Int = 0) async throws -> FakeIDP {
        try await Teardown.hold { try await running(port: port, $0) }
    }

    /// The provider could not listen.
    package struct StartFailed: Error {}

    /// `http://127.0.0.1:PORT`.
    package var origin: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

    /// The issuer with a name.
    package func issuer(_ name: String) -> String { "\(origin)/\(name)" }

    /// The endpoints that users are sent to and that exchange codes.
    package let authorization = FakeAuthorizationServer()

    // MARK: Keys and tokens

    /// The current signing keys, RSA first.
    package var keys: [TestKey] { state.withLock { $0.keys } }

    /// The key of an algorithm.
    package func key(_ algorithm: String = "RS256") -> TestKey {
        state.withLock { state in state.keys.last { $0.algorithm == algorithm } ?? state.keys[0] }
    }

    /// Replaces the keys. The old ones stay published if asked.
    package func rotate(keepingOld: Bool = false) throws {
        let number = state.withLock { state in
            state.rotations += 1
            return state.rotations + 1
        }
        let fresh = [try TestKey.rsa(kid: "rsa-\(number)"), TestKey.p256(kid: "ec-\(number)")]
        state.withLock { $0.keys = keepingOld ? $0.keys + fresh : fresh }
    }

    /// Signs claims.
    package func token(_ claims: JSONValue, algorithm: String = "RS256", header: JSONValue = [:]) throws -> String {
        try key(algorithm).token(claims: claims, header: header)
    }

    /// The claims of a valid token. `overrides` replaces members, and null removes them.
    package func claims(
        issuer: String,
        audience: JSONValue,
        subject: String = "user-1",
        now: Timestamp,
        _ overrides: JSONValue = [:]
    ) -> JSONValue {
        let claims: JSONValue = [
            "iss": .string(self.issuer(issuer)), "aud": audience, "sub": .string(subject), "iat": .integer(now.seconds),
            "exp": .integer(now.seconds + 600),
        ]
        return .object((claims.merging(overrides).object ?? [:]).filter { $0.value != .null })
    }

    // MARK: Faults

    /// Sets the fault of a path; `nil` removes it.
    package func setFault(_ fault: Fault?, at path: String) { state.withLock { $0.faults[path] = fault } }

    /// Changes an answer.
    package typealias Rewriting = @Sendable (OutboundHTTP.Response) throws -> OutboundHTTP.Response

    /// Changes every answer of a path; `nil` leaves them as they are.
    package func rewrite(at path: String, _ rewriting: Rewriting?) { state.withLock { $0.rewritings[path] = rewriting } }

    func rewriting(of path: String) -> Rewriting? { state.withLock { $0.rewritings[path] } }

    /// Publishes any document as the key set.
    package func publish(keySet: JSONValue?) { state.withLock { $0.keySet = keySet } }

    /// Members that replace those of every discovery document.
    package func overrideDiscovery(_ members: JSONValue) { state.withLock { $0.discoveryOverrides = members } }

    /// Puts a certificate of Game Center at a path under `/gamecenter/`.
    package func publish(_ key: FakeGameCenter, at path: String) { publish(certificate: key.certificate, at: path) }

    /// Puts any certificate at a path under `/gamecenter/`.
    package func publish(certificate: [UInt8], at path: String) { state.withLock { $0.gameCenterKeys[path] = certificate } }

    var gameCenterKeys: [String: [UInt8]] { state.withLock { $0.gameCenterKeys } }

    /// `Cache-Control` of key sets and discovery documents.
    package func setCacheControl(_ value: String?) { state.withLock { $0.cacheControl = value } }

    /// How often a path was requested.
    package func count(_ path: String) -> Int { state.withLock { $0.counts[path] ?? 0 } }

    // MARK: Serving

    private func application(port: Int, onRunning: @escaping @Sendable (Int) -> Void) -> some Service {
        Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                try await self.rewritten(try await self.respond(to: request), of: request.uri.path)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { onRunning($0.localAddress?.port ?? port) },
            logger: Logger(label: "idp") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func respond(to request: Request) async throws -> Response {
        let path = request.uri.path
        let (fault, cacheControl) = state.withLock { state in
            state.counts[path, default: 0] += 1
            return (state.faults[path], state.cacheControl)
        }
        if let fault, let response = try await Self.response(for: fault) { return response }
        // The body is collected because several handlers read it.
        let body = try await request.body.collect(upTo: 1 << 16)
        let request = Request(head: request.head, body: .init(buffer: body))
        let segments = path.split(separator: "/").map(String.init)
        guard let name = segments.first else { return Response(status: .notFound) }
        let rest = segments.dropFirst().joined(separator: "/")
        if let response = try await respond(as: name, rest, request) { return response }
        if let response = try await authorization.respond(to: request, self) { return response }
        let document: JSONValue
        switch rest {
        case ".well-known/openid-configuration": document = discovery(name)
        case "jwks", "auth/keys", ".well-known/oauth/openid/jwks": document = keySet
        case "mint": document = try await mint(name, request)
        default: return Response(status: .notFound)
        }
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.cacheControl] = cacheControl
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: document.serialized())))
    }

    private var keySet: JSONValue { state.withLock { $0.keySet ?? ["keys": .array($0.keys.map(\.jwk))] } }

    private func discovery(_ name: String) -> JSONValue {
        let issuer = issuer(name)
        let document: JSONValue = [
            "issuer": .string(issuer), "jwks_uri": .string("\(issuer)/jwks"),
            "authorization_endpoint": .string("\(issuer)/authorize"), "token_endpoint": .string("\(issuer)/token"),
            "userinfo_endpoint": .string("\(issuer)/userinfo"), "response_types_supported": ["code", "id_token"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "code_challenge_methods_supported": ["S256"],
        ]
        return document.merging(state.withLock { $0.discoveryOverrides })
    }

    // Signs any posted claims, so that a walk-through can make valid and invalid tokens.
    private func mint(_ name: String, _ request: Request) async throws -> JSONValue {
        let body = try await request.body.collect(upTo: 1 << 16)
        let posted = try JSONValue.parse(body.readableBytesView)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let claims = claims(issuer: name, audience: "postern-demo", now: now, posted)
        return ["id_token": .string(try token(claims))]
    }

    private static func response(for fault: Fault) async throws -> Response? {
        switch fault {
        case .status(let code): return Response(status: .init(code: code))
        case .delay(let duration):
            try await Task.sleep(for: duration)
            return nil
        case .body(let text): return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
        case .oversized(let bytes):
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: UInt8(ascii: " "), count: bytes)))
        case .redirect(let url): return Response(status: .found, headers: [.location: url])
        case .drip:
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    while !Task.isCancelled {
                        try await writer.write(ByteBuffer(string: " "))
                        try await Task.sleep(for: .milliseconds(50))
                    }
                    try await writer.finish(nil)
                }
            )
        }
    }
}
