import HTTPTypes

/// `GET /`, in development only. Tests poll it until the server is ready (`Docs/Contract/emulator-endpoints.md` §1).
struct EmulatorStatus: Sendable {
    private struct Answer: Codable {
        struct Status: Codable {
            var ready = true
            var docs = "https://firebase.google.com/docs/emulator-suite"
            var apiSpec = "/emulator/openapi.json"
        }

        var authEmulator = Status()
    }

    /// Adds the route.
    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "EmulatorStatus",
            summary: "Whether the server is ready.",
            answers: [200: .json(Schema(answer: Answer.self))]
        )
        table.add(.get, "/", operation) { _, _ in try JSONAnswer.response(Answer()) }
    }
}
