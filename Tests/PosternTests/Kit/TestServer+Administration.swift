import Accounts
import Foundation
import Project
import Storage
import TestKit

@testable import Server

extension TestServer {
    /// Calls the v2 administration API; `path` stands behind `v2/projects/demo-test`.
    func admin(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        token: String? = adminToken,
        prefix: String = "/identitytoolkit.googleapis.com/v2/projects/demo-test"
    ) async throws -> TestClient.Answer {
        var headers = [("Content-Type", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try await client.send(method, prefix + path, headers: headers, body: body?.serialized())
    }

    /// The whole stored configuration and audit trail as one text, to check what it does not contain.
    func storedText() async throws -> String {
        try await core.database.read { transaction in
            let documents = try transaction.query("SELECT document FROM resources").map { try $0.text("document") }
            let events = try transaction.query("SELECT detail FROM audit_events").map { try $0.textIfPresent("detail") ?? "" }
            return (documents + events).joined(separator: "\n")
        }
    }

    /// The details of the audit trail's events of one name.
    func auditDetails(_ event: String) async throws -> [JSONValue] {
        await recordRefusals()
        return try await core.database.read { transaction in
            try transaction.query("SELECT detail FROM audit_events WHERE event = \(event) ORDER BY occurred_at, event_id")
                .map { try JSONValue.parse(($0.textIfPresent("detail") ?? "{}").utf8) }
        }
    }

    /// Writes the refusals that wait for the audit trail, as a running server does every second.
    func recordRefusals() async { await core.useCases.refusals.write() }

    /// How many unused codes of a type an address has.
    func codes(_ type: String, to email: String) async throws -> Int {
        try await core.database.read { transaction in
            try transaction.query("SELECT 1 AS one FROM oob_codes WHERE request_type = \(type) AND email = \(email)").count
        }
    }

    /// Deletes the codes of a type, as expiry does.
    func forgetCodes(_ type: String) async throws {
        try await core.database.write { _ = try $0.execute("DELETE FROM oob_codes WHERE request_type = \(type)") }
    }
}
