import CLibPQ
import Foundation

/// The address of a PostgreSQL server: a connection URI as libpq reads it
/// (postgresql.org/docs/current/libpq-connect.html).
struct PostgreSQLAddress: Sendable {
    private let uri: String

    private let connectSeconds: Int

    /// Settings that apply unless the URI has others. A cut network is noticed within a dozen seconds also while a connection is idle
    /// or a long statement runs. Standbys are refused, because an address may lead to one after a switchover.
    private static let defaults = [
        ("fallback_application_name", "postern"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "10000"), ("target_session_attrs", "read-write"),
    ]

    /// - Parameters:
    ///   - uri: The connection URI.
    ///   - connect: How long each host may take to accept a connection, in whole seconds, unless the URI has `connect_timeout`.
    /// - Throws: ``StorageError/unavailable(_:)`` when libpq cannot read the URI.
    init(uri: String, connect: Duration) throws(StorageError) {
        guard let options = PQconninfoParse(uri, nil) else {
            // The message of libpq may quote a part of the password.
            throw .unavailable("database.url is not a connection URI of PostgreSQL")
        }
        PQconninfoFree(options)
        self.uri = uri
        connectSeconds = Int(connect.components.seconds)
    }

    /// Opens a connection, waiting no longer than `connect_timeout` for each host.
    ///
    /// - Returns: The connection, which belongs to the caller.
    /// - Throws: `PostgreSQLFailure.lost` with libpq's reason, without the secrets of the URI.
    func connect() throws(PostgreSQLFailure) -> OpaquePointer {
        // A later entry overrides an earlier one.
        let parameters = Self.defaults + [("connect_timeout", "\(connectSeconds)"), ("dbname", uri), ("client_encoding", "UTF8")]
        let handle = withCStrings(parameters.map(\.0)) { keywords in
            withCStrings(parameters.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let handle else { throw .lost("no memory for a connection") }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw .lost(redacting(String(cString: PQerrorMessage(handle))))
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
