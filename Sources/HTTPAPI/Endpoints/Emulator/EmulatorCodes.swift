import Accounts
import HTTPTypes
import Hummingbird
import Project
import Storage

/// `GET /emulator/v1/projects/{p}[/tenants/{t}]/oobCodes`: lists unused codes for tests
/// (`Docs/Contract/emulator-endpoints.md` §2).
struct EmulatorCodes: Sendable {
    let listing: OOBCodeListing
    let auth: CallerAuth

    private struct Answer: Codable {
        struct Code: Codable {
            let email: String
            let newEmail: String?
            let requestType: String
            let oobCode: String
            let oobLink: String
        }

        let oobCodes: [Code]
    }

    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "EmulatorCodes",
            summary: "Lists the one-time codes that wait.",
            answers: [200: .json(Schema(answer: Answer.self))]
        )
        for tenant in ["", "/tenants/{tenant}"] {
            table.add(.get, "/emulator/v1/projects/{project}\(tenant)/oobCodes", operation) { _, context in
                let project = try context.parameters.require("project")
                let scope = try auth.scope(project: project, tenant: context.parameters.get("tenant"))
                let codes = try await listing.list(scope).map { entry in
                    Answer.Code(
                        email: entry.info.email,
                        newEmail: entry.info.type == .verifyAndChangeEmail ? entry.info.newEmail : nil,
                        requestType: entry.info.type.rawValue,
                        oobCode: entry.code,
                        oobLink: entry.link
                    )
                }
                return try JSONAnswer.response(Answer(oobCodes: codes), headers: [.xContentTypeOptions: "nosniff"])
            }
        }
    }
}
