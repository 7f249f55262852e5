import CLibPQ
import Foundation

/// The address of a PostgreSQL server: a connection URI as libpq reads it
/// (postgresql.org/docs/current/libpq-connect.html).
struct PostgreSQLAddress: Sendable {
    private let uri: String

    private let connectSeconds: Int

    /// Whether the address leads to servers that take writes. It does unless the URI has another `target_session_attrs`.
    let needsWrites: Bool

    /// Whether the URI names one host, which may stand for many servers.
    private let hasOneHost: Bool

    /// Settings that apply unless the URI has others. A cut network is noticed within a dozen seconds also while a connection is idle
    /// or a long statement runs. Standbys are refused, because an address may lead to one after a switchover.
    private static let defaults = [
        ("fallback_application_name", "postern"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "10000"), ("target_session_attrs", "read-write"),
    ]

    /// - Parameter connect: How long each host may take to accept a connection, in whole seconds, unless the URI has
    ///   `connect_timeout`.
    init(uri: String, connect: Duration) throws(StorageError) {
        guard let options = PQconninfoParse(uri, nil) else {
            // The message of libpq may quote a part of the password.
            throw .unavailable("database.url is not a connection URI of PostgreSQL")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        self.uri = uri
        connectSeconds = Int(connect.components.seconds)
        needsWrites = ["read-write", "primary"].contains(values["target_session_attrs"] ?? "read-write")
        hasOneHost = ![values["host"], values["hostaddr"]].contains { $0?.utf8.contains(UInt8(ascii: ",")) ?? false }
    }

    /// Opens a connection, waiting no longer than `connect_timeout` for each host.
    ///
    /// A pooler may tell libpq that its server takes no writes when that is over: PgBouncer repeats what the server said before it was
    /// promoted. One host that says so is connected to nevertheless, and whoever ``needsWrites`` asks the server itself.
    ///
    /// - Returns: It belongs to the caller.
    /// - Throws: `PostgreSQLFailure.lost` with libpq's reason, without the secrets of the URI.
    func connect() throws(PostgreSQLFailure) -> OpaquePointer {
        do {
            return try open()
        } catch {
            guard needsWrites, hasOneHost, error.message.contains("session is read-only") else {
                throw .lost(redacting(error.message))
            }
        }
        do {
            return try open([("target_session_attrs", "any")])
        } catch {
            throw .lost(redacting(error.message))
        }
    }

    /// What libpq says about a connection that it could not open. It may have secrets of the URI.
    private struct ConnectError: Error {
        let message: String
    }

    private func open(_ overrides: [(String, String)] = []) throws(ConnectError) -> OpaquePointer {
        // A later entry overrides an earlier one.
        let parameters =
            Self.defaults + [("connect_timeout", "\(connectSeconds)"), ("dbname", uri), ("client_encoding", "UTF8")] + overrides
        let handle = withCStrings(parameters.map(\.0)) { keywords in
            withCStrings(parameters.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let handle else { throw ConnectError(message: "no memory for a connection") }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw ConnectError(message: String(cString: PQerrorMessage(handle)))
        }
        return handle
    }

    /// A message on one line, without any part of the URI's user, password or query.
    func redacting(_ message: String) -> String {
        let rest = Substring(uri.trimmingPrefix(/[a-z]+:\/\//))
        let user = rest.lastIndex(of: "@").map { rest[..<$0] } ?? ""
        let query = rest.firstIndex(of: "?").map { rest[$0...] } ?? ""
        var secrets: [String] = []
        for part in [user, query] {
            for piece in part.split(whereSeparator: { ":@/?&=".contains($0) }) {
                secrets.append(String(piece))
                if let decoded = piece.removingPercentEncoding { secrets.append(decoded) }
            }
        }
        secrets = secrets.filter { $0.utf8.count > 2 }.sorted { $0.utf8.count > $1.utf8.count }
        let line = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return secrets.reduce(line) { $0.replacing($1, with: "…") }
    }
}

/// Calls a function with a list of C strings that ends with null.
private func withCStrings<T>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> T) -> T {
    var bytes: [CChar] = []
    let offsets = strings.map { string in
        defer { bytes.append(contentsOf: string.utf8CString) }
        return bytes.count
    }
    return bytes.withUnsafeBufferPointer { buffer in
        body(offsets.map { buffer.baseAddress?.advanced(by: $0) } + [nil])
    }
}
