package import Project

extension Webhook {
    package func post(_ lines: [JSONValue]) async throws { try await post(Self.body(of: lines)) }

    /// Posts no lines, so that an operator sees what the receiver answers.
    package func testAudit() async throws -> Int { try await answer(to: Self.body(of: [])).status }

    private static func body(of lines: [JSONValue]) -> [UInt8] {
        let body: JSONValue = ["type": "audit", "lines": .array(lines)]
        return body.canonical()
    }
}
