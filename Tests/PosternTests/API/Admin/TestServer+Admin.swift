import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension TestServer {
    static let bearer = [("Authorization", "Bearer \(adminToken)")]

    /// The path that the Admin SDKs put before a method: `accounts:lookup`, `:createSessionCookie`, or nothing.
    static func adminPath(_ method: String, tenant: String? = nil) -> String {
        let scope = "/identitytoolkit.googleapis.com/v1/projects/demo-test" + (tenant.map { "/tenants/\($0)" } ?? "")
        return method.hasPrefix(":") ? scope + method : "\(scope)/\(method)"
    }

    /// Calls a method of `projects.accounts` as an Admin SDK does.
    func admin(_ method: String, _ body: JSONValue, tenant: String? = nil) async throws -> TestClient.Answer {
        try await client.post(Self.adminPath(method, tenant: tenant), body, headers: Self.bearer)
    }

    /// Lists accounts as an Admin SDK does.
    func list(_ query: String = "", tenant: String? = nil) async throws -> TestClient.Answer {
        try await client.get(Self.adminPath("accounts:batchGet", tenant: tenant) + "?" + query, headers: Self.bearer)
    }

    /// The account with an id, as an administrator sees it.
    func user(_ localID: String, tenant: String? = nil) async throws -> JSONValue? {
        try await admin("accounts:lookup", ["localId": [.string(localID)]], tenant: tenant)["users"]?[0]
    }

    /// The audit trail: event, actor, account, in the order of time.
    func auditTrail() async throws -> [[String]] {
        try await core.database.read { transaction in
            try transaction.query("SELECT event, actor, local_id FROM audit_events ORDER BY occurred_at, event_id").map {
                [try $0.text("event"), try $0.text("actor"), try $0.textIfPresent("local_id") ?? ""]
            }
        }
    }

    /// The error of a refused call; otherwise its status.
    static func outcome(_ answer: TestClient.Answer) -> String { answer.errorMessage ?? "\(answer.status)" }
}
