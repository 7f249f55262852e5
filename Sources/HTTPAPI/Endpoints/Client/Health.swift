import Hummingbird
import Logging
import Project
import Storage
import Tokens

/// Reports whether the process runs (`/healthz`) and whether it can serve requests (`/readyz`).
struct Health {
    let store: StoreCheck
    let keyRing: KeyRing
    /// What the settings leave out, in sentences fit for everybody.
    let warnings: [String]
    let environment: ServerEnvironment

    private static let clockWarning =
        "The system's clock has jumped. Nothing is removed until it is right, or an operator says that it is."

    private struct Status: Codable {
        let status: String
        /// Absent when nothing is missing.
        let warnings: [String]?
    }

    private struct Life: Codable {
        let status: String
        let version: String
    }

    private static func operation<T: Codable>(_ name: String, _ summary: String, _ answer: T.Type) -> Operation {
        Operation(name: name, summary: summary, answers: [200: .json(Schema(answer: answer))])
    }

    func add(to table: inout RouteTable) {
        let store = store
        let keyRing = keyRing
        let (warnings, environment) = (warnings, environment)
        table.add(.get, "/healthz", Self.operation("Liveness", "Says that the process lives.", Life.self)) { _, _ in
            try JSONAnswer.response(Life(status: "ok", version: Release.version))
        }
        table.add(.get, "/readyz", Self.operation("Readiness", "Says whether the server can serve.", Status.self)) { _, context in
            guard keyRing.isLoaded else { throw TransportError.unavailable }
            do {
                try await store.check()
            } catch {
                context.logger.failure("the store cannot be used", error)
                throw TransportError.unavailable
            }
            let all = warnings + (environment.clockLead() == nil ? [] : [Self.clockWarning])
            return try JSONAnswer.response(Status(status: "ok", warnings: all.isEmpty ? nil : all))
        }
    }
}
