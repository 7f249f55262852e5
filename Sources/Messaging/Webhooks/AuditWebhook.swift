package import Project

/// The operator's web hook for the audit trail. Its posts are signed as those about accounts are (`Docs/Contract/rulings.md` 16).
package struct AuditWebhook: Sendable {
    private let url: String
    private let secret: String
    private let environment: ServerEnvironment

    package init(url: String, secret: String, environment: ServerEnvironment) {
        self.url = url
        self.secret = secret
        self.environment = environment
    }

    /// Posts lines of the trail.
    package func post(_ lines: [JSONValue]) async throws {
        let response: OutboundHTTP.Response
        do { response = try await answer(to: lines) } catch let error as OutboundError {
            throw DeliveryError.temporary("web hook: \(error)")
        }
        guard (200..<300).contains(response.status) else { throw DeliveryError.temporary("web hook: \(response.status)") }
    }

    /// Posts no lines, so that an operator sees what the receiver answers.
    package func test() async throws -> Int { try await answer(to: []).status }

    private func answer(to lines: [JSONValue]) async throws -> OutboundHTTP.Response {
        let body: JSONValue = ["type": "audit", "lines": .array(lines)]
        let request = SignedPost.request(body.canonical(), to: url, secret: secret, at: environment.now())
        return try await environment.http(request, limits: .init(maximumBodyBytes: 1 << 16))
    }
}
