import Project
import Storage
import TestKit
import Testing

@Suite("An administrator lists, searches and deletes many accounts", .teardown, .timeLimit(.minutes(15)))
struct AdminListTests {
    private func add(_ server: TestServer, _ users: [JSONValue]) async throws {
        #expect(try await server.admin("accounts:batchCreate", ["users": .array(users)])["error"] == nil)
    }

    private func ids(_ answer: TestClient.Answer, _ name: String = "users") -> [String] {
        answer[name]?.array?.compactMap { $0["localId"]?.string } ?? []
    }

    @Test("page by page, in the order of the ids' bytes", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let names = ["B", "a", "Z", "_x", "ä", "0", "b"]
        try await add(server, names.map { ["localId": .string($0)] })
        let sorted = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let whole = try await server.list()
        #expect(whole["kind"] == "identitytoolkit#DownloadAccountResponse")
        #expect(ids(whole) == sorted && whole["nextPageToken"] == nil)
        let first = try await server.list("maxResults=4")
        #expect(ids(first) == Array(sorted.prefix(4)))
        #expect(first["nextPageToken"] == .string(sorted[3]))
        let second = try await server.list("maxResults=3&nextPageToken=\(sorted[3])")
        #expect(ids(second) == Array(sorted.suffix(3)))
        // A full page has a token, also when there are no further accounts.
        #expect(second["nextPageToken"]?.string == sorted.last)
        let last = try await server.list("nextPageToken=%C3%A4")
        #expect(ids(last).isEmpty && last["nextPageToken"] == nil)
        #expect(
            ids(try await server.list("nextPageToken=Y"))
                == sorted.filter { $0.utf8.lexicographicallyPrecedes("Y".utf8) == false }
        )
        for query in ["maxResults=-1", "maxResults=-5", "maxResults=x"] {
            let answer = try await server.list(query)
            #expect(answer.status == 400 && answer["error"]?["status"] == "INVALID_ARGUMENT")
        }
        let long = String(repeating: "x", count: 129)
        #expect(try await server.list("nextPageToken=\(long)").errorMessage == "INVALID_PAGE_SELECTION")
        #expect(try await server.list("maxResults=5000").status == 200)
        #expect(try await server.list("tenantId=closed").errorMessage == "PROJECT_DISABLED")
        #expect(try await server.client.get(TestServer.adminPath("accounts:batchGet")).status == 401)
        #expect(try await server.auditTrail().contains(["export", "admin.token", ""]))
    }

    @Test("each once, though some come and go meanwhile", arguments: Engine.allCases)
    func changingPages(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let count = 300
        try await add(server, (0..<count).map { ["localId": .string("user-\(1000 + $0 * 7 % count)")] })
        var (seen, token, pages) = ([String](), "", 0)
        repeat {
            let page = try await server.list("maxResults=20&nextPageToken=\(token)")
            seen += ids(page)
            token = page["nextPageToken"]?.string ?? ""
            pages += 1
            // These changes are before the reader's position, so they do not shift a page.
            let gone: JSONValue = ["localIds": [.string(seen[pages])], "force": true]
            #expect(try await server.admin("accounts:batchDelete", gone).json == [:])
            try await add(server, [["localId": .string("a-\(pages)")]])
        } while !token.isEmpty
        #expect(seen == (0..<count).map { "user-\(1000 + $0)" })
        #expect(pages == 16)
    }

    @Test("by what they are called, and sorted by what they did", arguments: Engine.allCases)
    func query(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        try await add(
            server,
            [
                [
                    "localId": "1", "email": "b@b.c", "displayName": "C", "createdAt": "30", "lastLoginAt": "5",
                    "phoneNumber": "+15555550100",
                ], ["localId": "2", "email": "a@b.c", "displayName": "B", "createdAt": "20"],
                ["localId": "3", "createdAt": "10", "lastLoginAt": "4"],
            ]
        )
        for (body, expected) in [
            ([:], "123"), (["order": "DESC"], "321"), (["sortBy": "NAME"], "213"),
            (["sortBy": "NAME", "order": "DESC"], "123"),
            (["sortBy": "CREATED_AT"], "321"), (["sortBy": "LAST_LOGIN_AT"], "312"), (["sortBy": 5], "213"),
            (["sortBy": "USER_EMAIL", "order": 2], "123"), (["limit": "2"], "12"), (["limit": 2, "offset": "1"], "23"),
            (["offset": 3], ""), (["expression": [["email": "A@B.c"]]], "2"),
            (["expression": [["phoneNumber": "+15555550100", "userId": "3"], ["userId": "2"]]], "1"),
            (["expression": [["userId": "3"]], "limit": "1"], "3"), (["expression": [["userId": "3"]], "offset": 1], ""),
            (["expression": [["email": "x@b.c"]]], ""),
        ] as [(JSONValue, String)] {
            for method in ["accounts:query", ":queryAccounts"] {
                let answer = try await server.admin(method, body)
                #expect(ids(answer, "userInfo").joined() == expected, "\(body)")
                #expect(answer["recordsCount"] == .string(String(expected.count)))
            }
        }
        for (body, count) in [
            ([:], "3"), (["limit": 1, "offset": 9], "3"), (["expression": [["userId": "1"]]], "1"),
            (["expression": [["userId": "x"]]], "0"),
        ] as [(JSONValue, JSONValue)] {
            let answer = try await server.admin("accounts:query", body.merging(["returnUserInfo": false]))
            #expect(answer.json == ["recordsCount": count])
        }
        for body in [["limit": -1], ["offset": -1], ["sortBy": "AGE"], ["order": 3]] as [JSONValue] {
            #expect(try await server.admin("accounts:query", body).status == 400)
        }
        #expect(try await server.admin("accounts:query", [:], tenant: "acme")["recordsCount"] == "0")
    }

    @Test("and deletes those that are disabled, or all by force", arguments: Engine.allCases)
    func batchDelete(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        try await add(server, [["localId": "a"], ["localId": "b", "disabled": true], ["localId": "c"]])
        let session = try server.session(try await server.call("signUp", [:]))
        let kept = try await server.admin("accounts:batchDelete", ["localIds": ["nobody", "a", "b"]])
        let message: JSONValue = "NOT_DISABLED : Disable the account before batch deletion."
        #expect(kept.json == ["errors": [["index": 1, "localId": "a", "message": message]]])
        let forced: JSONValue = ["localIds": ["a", "c", "c", .string(session.localID)], "force": true]
        #expect(try await server.admin("accounts:batchDelete", forced).json == [:])
        #expect(try await server.list()["users"] == [])
        #expect(try await server.refresh(session.refreshToken).errorMessage == "USER_NOT_FOUND")
        #expect(try await server.auditTrail().filter { $0[0] == "delete" }.count == 4)
        let ids = (0...1000).map { JSONValue.string("x\($0)") }
        for (list, status) in [([], 400), (Array(ids.dropLast()), 200), (ids, 400)] as [([JSONValue], Int)] {
            let answer = try await server.admin("accounts:batchDelete", ["localIds": .array(list)])
            #expect(answer.status == status)
            if status == 400 { #expect(answer.errorMessage == "LOCAL_ID_LIST_EXCEEDS_LIMIT") }
        }
        #expect(try await server.admin("accounts:batchDelete", [:]).errorMessage == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
    }
}
