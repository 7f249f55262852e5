import Accounts
import HTTPTypes
import Project

/// `projects.accounts.batchGet`: lists accounts (`Docs/Contract/admin-accounts.md` §12).
struct BatchGet: Endpoint {
    static let summary = "Lists accounts."
    static let route = Route(
        method: .get,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.readUsers),
        projectPath: "accounts:batchGet"
    )

    let listing: AccountListing
    let mode: ModeRules

    struct Body: ProtoDecodable {
        let maximumResults: Int64?
        let token: String?

        init(_ body: ProtoObject) throws {
            maximumResults = try body.integer("maxResults")
            token = try body.text("nextPageToken")
            try body.ignore(texts: ["delegatedProjectNumber"])
        }
    }

    struct Answer: Codable {
        var kind = "identitytoolkit#DownloadAccountResponse"
        let users: [AccountJSON]
        let nextPageToken: String?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        guard let size = AccountListing.PageSize(maxResults: body.maximumResults, mode: mode) else {
            throw TransportError.wrongShape("/maxResults", "must be >= 0")
        }
        let page = try await listing.page(after: body.token, size: size, context: context)
        return Answer(
            users: page.accounts.map { AccountJSON($0, showsHash: context.maySeeSecrets) },
            nextPageToken: page.nextToken
        )
    }
}

/// `downloadAccount`, the name in the v3 API: a POST, whose body may name the project (`Docs/Contract/admin-accounts.md` §2).
struct DownloadAccount: Endpoint {
    static let summary = "Lists the accounts of the project."
    static let route = Route(
        method: .post,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.readUsers),
        legacyName: "downloadAccount"
    )

    let listing: AccountListing
    let mode: ModeRules

    func handle(_ body: BatchGet.Body, _ context: CallContext) async throws -> BatchGet.Answer {
        guard context.isPrivileged else { throw APIError(.insufficientPermission) }
        return try await BatchGet(listing: listing, mode: mode).handle(body, context)
    }
}
