import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// `GET /openapi.json`: the description of the API; in development also under the emulator's path
/// (`Docs/Contract/emulator-endpoints.md` §1).
struct OpenAPIPage: Sendable {
    let mode: ModeRules
    let publicURL: @Sendable () -> String

    /// Adds the routes. They must be added last, because the document describes the table as it is then, including themselves.
    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "OpenAPIDocument",
            summary: "This description.",
            answers: [200: .json(Schema(["type": "object"]))]
        )
        let paths = mode.servesEmulatorPaths ? ["/openapi.json", "/emulator/openapi.json"] : ["/openapi.json"]
        table.describe(.get, paths) { operation }
        let descriptions = table.descriptions
        // It is made when somebody asks for it: every member of a hundred bodies is found out by reading them.
        let made = LockedState<OpenAPIDocument?>(nil)
        let document: @Sendable () -> OpenAPIDocument = {
            made.withLock { made in
                let document = made ?? OpenAPIDocument(descriptions)
                made = document
                return document
            }
        }
        // The public URL of a production server does not change while it runs.
        let cached = LockedState<ByteBuffer?>(nil)
        for path in paths {
            table.add(.get, path, operation) { request, _ in
                if mode.trustsNamedHosts { return Self.response(Self.bytes(document(), servers: emulatorServers(request))) }
                let bytes = cached.withLock { kept in
                    let bytes = kept ?? Self.bytes(document(), servers: [["url": .string(publicURL())]])
                    kept = bytes
                    return bytes
                }
                return Self.response(bytes)
            }
        }
    }

    private static func bytes(_ document: OpenAPIDocument, servers: JSONValue) -> ByteBuffer {
        ByteBuffer(bytes: document.json(servers: servers).ordered())
    }

    private static func response(_ bytes: ByteBuffer) -> Response {
        let headers: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
