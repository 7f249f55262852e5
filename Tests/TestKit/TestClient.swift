import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
package import Project

/// An HTTP client for suites, which sends anything and returns the answer.
package struct TestClient: Sendable {
    /// An answer of any status.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [(name: String, value: String)]
        package let bytes: Data
        /// The body as JSON; null when it is not JSON.
        package let json: JSONValue

        /// A header, compared without regard to case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// A member of the body.
        package subscript(key: String) -> JSONValue? { json[key] }

        /// `error.message`.
        package var errorMessage: String? { json["error"]?["message"]?.string }
    }

    package let base: String
    private let timeoutSeconds: Int64

    // Redirects are not followed, because suites check them. The client lives as long as the process.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        // Far shorter than a server keeps idle connections, so that no request is sent on one that is being closed.
        configuration.connectionPool.idleTimeout = .seconds(5)
        // A server that is gone is an error at once, but a slow connection is not.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(600)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Parameters:
    ///   - base: The URL that paths are appended to.
    ///   - timeoutSeconds: How long to wait for an answer.
    package init(_ base: String, timeoutSeconds: Int64 = 600) {
        self.base = base
        self.timeoutSeconds = timeoutSeconds
    }

    /// Sends a request.
    package func send(
        _ method: String,
        _ path: String,
        headers: [(String, String)] = [],
        body: Data? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : base + path)
        request.method = .RAW(value: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await Self.http.execute(request, timeout: .seconds(timeoutSeconds))
        let bytes = Data(try await response.body.collect(upTo: 16 << 20).readableBytesView)
        return Answer(
            status: Int(response.status.code),
            headers: response.headers.map { ($0.name, $0.value) },
            bytes: bytes,
            json: (try? JSONValue.parse(bytes)) ?? .null
        )
    }

    /// Posts JSON.
    package func post(_ path: String, _ json: JSONValue, headers: [(String, String)] = []) async throws -> Answer {
        try await send("POST", path, headers: [("Content-Type", "application/json")] + headers, body: json.serialized())
    }

    /// Posts a form.
    package func post(_ path: String, form: [(String, String)]) async throws -> Answer {
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        return try await send("POST", path, headers: type, body: Data(Self.encode(form).utf8))
    }

    /// Gets.
    package func get(_ path: String, headers: [(String, String)] = []) async throws -> Answer {
        try await send("GET", path, headers: headers)
    }

    /// Form pairs, percent-encoded as the JS SDK does it.
    package static func encode(_ pairs: [(String, String)]) -> String {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return pairs.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
    }
}
