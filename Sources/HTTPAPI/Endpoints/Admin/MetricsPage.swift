import HTTPTypes
import Hummingbird
import NIOCore

/// `/metrics`, for monitoring systems (`Docs/Configuration.md`, `metrics.enabled`).
package struct MetricsPage: Sendable {
    private let render: @Sendable () async -> String
    private let isOpen: Bool

    /// - Parameter isOpen: Whether no credential is needed, as on the private listener.
    package init(isOpen: Bool, render: @escaping @Sendable () async -> String) {
        self.isOpen = isOpen
        self.render = render
    }

    func add(to table: inout RouteTable, auth: CallerAuth) {
        let render = render
        let access: Route.Access = isOpen ? .open : .adminOnly(.readConfiguration)
        let operation = Operation(
            name: "Metrics",
            summary: "Shows the server's figures to a monitor.",
            access: access,
            answers: [200: .text("text/plain")]
        )
        table.add(.get, "/metrics", operation) { request, _ in
            if !access.isOpen { try await auth.requireAdministrator(request, need: access.need) }
            let headers: HTTPFields = [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"]
            return Response(
                status: .ok,
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: await render()))
            )
        }
    }
}
