import Accounts
import Passwords
import Project

/// `projects.accounts.batchCreate`: imports accounts (`Docs/Contract/admin-accounts.md` §9).
struct BatchCreate: Endpoint {
    static let summary = "Imports accounts."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        projectPath: "accounts:batchCreate",
        bodyLimit: largestBody
    )

    /// The largest body in bytes, enough for thousands of usual accounts. It is half of `limits.bodies.totalBytes`, so that an
    /// idle server always has room for one.
    static let largestBody = 32 << 20

    let importing: AccountImport

    struct Body: ProtoDecodable {
        var request = AccountImport.Request()

        init(_ body: ProtoObject) throws {
            request.accounts = try body.objects("users").map(ImportedAccount.init)
            if try body.bool("allowOverwrite") == true { request.overwriting = .all }
            request.checksSanity = try body.bool("sanityCheck") ?? false
            request.hashParameters = .object(body.members(PasswordAlgorithm.parameterNames))
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#UploadAccountResponse"
        /// Absent when every row was imported, because the Firebase CLI takes its presence for a failure.
        let error: [Entry]?
        /// An addition of Postern: rows that were imported without a usable password. SDKs ignore this member; entries of `error`
        /// they take for failures.
        let warning: [Entry]?

        struct Entry: Codable {
            let index: Int
            let message: String
        }
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        var request = body.request
        request.allowsCostlyHashes = context.adminScopes.isSuperset(of: .config)
        let outcome = try await importing.importAccounts(request, context: context)
        let errors = outcome.failures.map { Answer.Entry(index: $0.index, message: $0.message) }
        let warnings = outcome.warnings.map { Answer.Entry(index: $0.index, message: $0.message) }
        return Answer(error: errors.isEmpty ? nil : errors, warning: warnings.isEmpty ? nil : warnings)
    }
}

/// `uploadAccount`, the name in the v3 API. The body may name the project (`Docs/Contract/admin-accounts.md` §2).
struct UploadAccount: Endpoint {
    static let summary = "Imports accounts into the project."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        legacyName: "uploadAccount",
        bodyLimit: BatchCreate.largestBody
    )

    let importing: AccountImport

    func handle(_ body: BatchCreate.Body, _ context: CallContext) async throws -> BatchCreate.Answer {
        guard context.isPrivileged else { throw APIError(.insufficientPermission) }
        return try await BatchCreate(importing: importing).handle(body, context)
    }
}
