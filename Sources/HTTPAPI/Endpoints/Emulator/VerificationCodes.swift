import Accounts
import HTTPTypes
import Hummingbird
import Project
import Tenancy

/// `GET emulator/v1/projects/{p}/verificationCodes`: lists the unused codes, in development only
/// (`Docs/Contract/emulator-endpoints.md` §2).
struct VerificationCodes {
    let codes: SMSCodeService
    let configurations: ConfigurationStore
    let auth: CallerAuth

    private struct Answer: Codable {
        let verificationCodes: [Code]

        struct Code: Codable {
            let phoneNumber: String
            let code: String
            let sessionInfo: String
        }
    }

    /// Adds the routes of project and tenants.
    func add(to table: inout RouteTable) {
        let endpoint = self
        let path = "/emulator/v1/projects/{project}"
        let operation = Operation(
            name: "VerificationCodes",
            summary: "Lists the codes that phone numbers were sent and that wait.",
            answers: [200: .json(Schema(answer: Answer.self))]
        )
        for tenant in ["", "/tenants/{tenant}"] {
            table.add(.get, "\(path)\(tenant)/verificationCodes", operation) { _, context in
                try await endpoint.respond(context)
            }
        }
    }

    private func respond(_ context: PosternContext) async throws -> Response {
        let project = try context.parameters.require("project")
        let scope = try auth.scope(project: project, tenant: context.parameters.get("tenant"))
        // This creates a tenant on first use.
        try await configurations.requireServed(scope)
        let shown = try await codes.shown(in: scope)
        return try JSONAnswer.response(
            Answer(
                verificationCodes: shown.map {
                    Answer.Code(phoneNumber: $0.phoneNumber, code: $0.code, sessionInfo: $0.sessionInfo)
                }
            )
        )
    }
}
