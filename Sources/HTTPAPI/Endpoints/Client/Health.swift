import Hummingbird
import Logging
import Project
import Storage
import Tokens

/// Reports whether the process runs (`/healthz`) and whether it can serve requests (`/readyz`).
struct Health {
    let database: any Database
    let keyRing: KeyRing

    private struct Status: Encodable {
        let status: String
    }

    private static func operation(_ name: String, _ summary: String) -> Operation {
        Operation(name: name, summary: summary, answers: [200: .json(Schema(answer: Status.self))])
    }

    /// Adds the routes.
    func add(to table: inout RouteTable) {
        let database = database
        let keyRing = keyRing
        table.add(.get, "/healthz", Self.operation("Liveness", "Says that the process lives.")) { _, _ in
            try JSONAnswer.response(Status(status: "ok"))
        }
        table.add(.get, "/readyz", Self.operation("Readiness", "Says whether the server can serve.")) { _, context in
            guard keyRing.isLoaded else { throw TransportError.unavailable }
            do {
                try await database.ping()
            } catch {
                context.logger.failure("the store cannot be used", error)
                throw TransportError.unavailable
            }
            return try JSONAnswer.response(Status(status: "ok"))
        }
    }
}
