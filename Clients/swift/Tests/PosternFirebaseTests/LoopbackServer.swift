import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An HTTP server on 127.0.0.1 of a test's own: one thread for each connection, one request on each connection.
final class LoopbackServer: @unchecked Sendable {
    struct Request: Sendable {
        var method = ""
        /// Path and query, as sent.
        var target = ""
        /// With names in lower case.
        var headers: [String: String] = [:]
        var body = Data()
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = Data()

        static func redirect(_ status: Int, to location: String) -> Answer {
            Answer(status: status, headers: ["Location": location])
        }
    }

    let url: URL
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer
    private let lock = NSLock()
    private var seen: [Request] = []
    private var broken = 0

    /// The requests that came so far.
    var requests: [Request] { lock.withLock { seen } }
    /// How many connections the client closed before it had its answer.
    var brokenConnections: Int { lock.withLock { broken } }

    /// - Parameter answer: Called on a thread of its own for each request; it may sleep.
    /// - Throws: `POSIXError` where the machine has no port left.
    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> UInt16? in
                guard bind(listener, pointer, length) == 0, listen(listener, 64) == 0,
                    getsockname(listener, pointer, &length) == 0
                else { return nil }
                return UnsafeRawPointer(pointer).load(as: sockaddr_in.self).sin_port.bigEndian
            }
        }
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)") else { throw POSIXError(.EADDRNOTAVAIL) }
        self.url = url
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    /// Accepts no more connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let request = Self.read(connection) else { return }
        lock.withLock { seen.append(request) }
        let answer = answer(request)
        // A client that gave up has closed its side, which reads as the end.
        var byte: UInt8 = 0
        if recv(connection, &byte, 1, Self.peek) == 0 { lock.withLock { broken += 1 } }
        var head = "HTTP/1.1 \(answer.status) Test\r\nContent-Length: \(answer.body.count)\r\nConnection: close\r\n"
        for (name, value) in answer.headers { head += "\(name): \(value)\r\n" }
        Self.write(Data((head + "\r\n").utf8) + (request.method == "HEAD" ? Data() : answer.body), to: connection)
        shutdown(connection, Int32(SHUT_WR))
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    private static func read(_ connection: Int32) -> Request? {
        var buffered = Data()
        func fill() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return false }
            buffered.append(contentsOf: bytes[..<count])
            return true
        }
        func line() -> String? {
            while true {
                if let end = buffered.range(of: Data("\r\n".utf8)) {
                    defer { buffered = Data(buffered[end.upperBound...]) }
                    return String(decoding: buffered[..<end.lowerBound], as: UTF8.self)
                }
                guard fill() else { return nil }
            }
        }
        func take(_ count: Int) -> Data? {
            while buffered.count < count { guard fill() else { return nil } }
            defer { buffered = Data(buffered.dropFirst(count)) }
            return buffered.prefix(count)
        }
        guard let first = line()?.split(separator: " "), first.count == 3 else { return nil }
        var request = Request(method: String(first[0]), target: String(first[1]))
        while let header = line(), !header.isEmpty {
            guard let colon = header.firstIndex(of: ":") else { return nil }
            request.headers[header[..<colon].lowercased()] =
                header[header.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        if request.headers["expect"] == "100-continue" {
            write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
        }
        if request.headers["transfer-encoding"] == "chunked" {
            while let size = line().flatMap({ Int($0, radix: 16) }), let chunk = take(size) {
                _ = line()
                if size == 0 { return request }
                request.body.append(chunk)
            }
            return nil
        }
        guard let body = take(request.headers["content-length"].flatMap { Int($0) } ?? 0) else { return nil }
        request.body = body
        return request
    }

    private static func write(_ data: Data, to connection: Int32) {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count, let start = bytes.baseAddress {
                let count = send(connection, start + sent, bytes.count - sent, noSignal)
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    private static let peek = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
