import Accounts
import Project

/// `projects.accounts.batchDelete` (`Docs/Contract/admin-accounts.md` §8).
struct BatchDelete: Endpoint {
    static let summary = "Deletes accounts."
    static let route = Route(access: .apiKeyOrAdmin(.deleteUsers), projectPath: "accounts:batchDelete")

    let deletion: BatchDeletion

    struct Body: ProtoDecodable {
        let localIDs: [String]
        let force: Bool

        init(_ body: ProtoObject) throws {
            localIDs = try body.strings("localIds")
            force = try body.bool("force") ?? false
        }
    }

    struct Answer: Codable {
        /// Absent when every account was deleted.
        let errors: [Entry]?

        struct Entry: Codable {
            let index: Int
            let localId: String
            let message: String
        }
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let failures = try await deletion.delete(body.localIDs, force: body.force, context: context)
        let errors = failures.map { Answer.Entry(index: $0.index, localId: $0.localID, message: $0.message) }
        return Answer(errors: errors.isEmpty ? nil : errors)
    }
}
