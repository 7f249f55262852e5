import Accounts
import Project
import Storage

/// `projects.accounts.query` and `projects.queryAccounts` (`Docs/Contract/admin-accounts.md` §13).
struct QueryAccounts: Endpoint {
    static let summary = "Searches accounts."
    static let route = Route(
        access: .apiKeyOrAdmin(.readUsers),
        projectPath: "accounts:query",
        projectMethod: "queryAccounts"
    )

    let search: AccountSearch

    // The values of the enum, in index order.
    private static let orders: [(name: String, order: AccountOrder)] = [
        ("SORT_BY_FIELD_UNSPECIFIED", .localID), ("USER_ID", .localID), ("NAME", .displayName), ("CREATED_AT", .createdAt),
        ("LAST_LOGIN_AT", .lastLoginAt), ("USER_EMAIL", .email),
    ]
    private static let directions = ["ORDER_UNSPECIFIED", "ASC", "DESC"]

    struct Body: ProtoDecodable {
        var request = AccountSearch.Request()
        let returnsAccounts: Bool

        init(_ body: ProtoObject) throws {
            request.filter = try Self.filter(body.objects("expression").first)
            let order = try body.enumeration("sortBy", of: orders.map(\.name))
            request.order = orders.first { $0.name == order }?.order ?? .localID
            request.isDescending = try body.enumeration("order", of: directions) == "DESC"
            request.limit = try Self.count("limit", of: body)
            request.offset = try Self.count("offset", of: body) ?? 0
            returnsAccounts = try body.bool("returnUserInfo") ?? true
        }

        private static func filter(_ expression: ProtoObject?) throws -> AccountReader.Selector? {
            if let email = try expression?.text("email") { return .email(email) }
            if let number = try expression?.text("phoneNumber") { return .phoneNumber(number) }
            return try expression?.text("userId").map { .localID($0) }
        }

        private static func count(_ name: String, of body: ProtoObject) throws -> Int64? {
            let number = try body.integer(name)
            guard (number ?? 0) >= 0 else { throw TransportError.wrongShape("/\(name)", "must be >= 0") }
            return number
        }
    }

    struct Answer: Codable {
        /// The number of accounts in the answer; when accounts are not requested, the number of all that match.
        let recordsCount: String
        let userInfo: [AccountJSON]?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        guard body.returnsAccounts else {
            let count = try await search.count(body.request.filter, context: context)
            return Answer(recordsCount: String(count), userInfo: nil)
        }
        let accounts = try await search.accounts(body.request, context: context)
        return Answer(
            recordsCount: String(accounts.count),
            // A search is no export, so it shows only whether there is a password.
            userInfo: accounts.map { AccountJSON($0) }
        )
    }
}
