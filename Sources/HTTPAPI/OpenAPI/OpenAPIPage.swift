import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// `GET /openapi.json`: the description of the API; in development also under the emulator's name for it
/// (`contract/emulator-endpoints.md` §1).
struct OpenAPIPage: Sendable {
    let mode: ServerMode
    let publicURL: @Sendable () -> String

    private static let hosts = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com"]

    /// Adds the routes. They are the last: the document describes what the table has by then, and themselves.
    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "OpenAPIDocument",
            summary: "This description.",
            answers: [200: .json(Schema(["type": "object"]))]
        )
        let paths = mode == .development ? ["/openapi.json", "/emulator/openapi.json"] : ["/openapi.json"]
        for path in paths { table.describe(.get, path, operation) }
        let document = OpenAPIDocument(operations: table.operations)
        // The address of a production server does not change while it runs.
        let cached = LockedState<ByteBuffer?>(nil)
        for path in paths {
            table.add(.get, path, operation) { request, _ in
                if mode == .development { return Self.response(Self.bytes(document, servers: emulatorServers(request))) }
                let bytes = cached.withLock { kept in
                    let bytes = kept ?? Self.bytes(document, servers: [["url": .string(publicURL())]])
                    kept = bytes
                    return bytes
                }
                return Self.response(bytes)
            }
        }
    }

    // The shape that the emulator gives them.
    private func emulatorServers(_ request: Request) -> JSONValue {
        let scheme = WebAddress(publicURL())?.isSecure == true ? "https" : "http"
        let origin = request.head.authority.flatMap(Authority.init).map { "\(scheme)://\($0)" } ?? publicURL()
        let variables: JSONValue = [
            "EMULATOR": ["default": .string(origin), "description": "Scheme, host and port of this server."]
        ]
        let urls = ["{EMULATOR}"] + Self.hosts.map { "{EMULATOR}/\($0)" }
        return .array(urls.map { ["url": .string($0), "variables": variables] })
    }

    private static func bytes(_ document: OpenAPIDocument, servers: JSONValue) -> ByteBuffer {
        ByteBuffer(bytes: document.json(servers: servers).ordered())
    }

    private static func response(_ bytes: ByteBuffer) -> Response {
        let headers: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
