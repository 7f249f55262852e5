import Project
import TestKit
import Testing

@Suite("Accounts with many identities", .teardown, .timeLimit(.minutes(15)))
struct LargeAccountTests {
    private static func identity(_ number: Int, of user: String, photoBytes: Int = 0) -> JSONValue {
        [
            "providerId": .string("saml.p\(number)"), "rawId": .string("\(user)-\(number)"),
            "photoUrl": .string("https://p.example.com/" + String(repeating: "x", count: photoBytes)),
        ]
    }

    private static func user(_ name: String, _ identities: Int, photoBytes: Int = 0) -> JSONValue {
        let list = (0..<identities).map { identity($0, of: name, photoBytes: photoBytes) }
        return ["localId": .string(name), "providerUserInfo": .array(list)]
    }

    @Test("have a bound, in an import and where an administrator links one")
    func bounds() async throws {
        let server = try await TestServer.start()
        let users = [Self.user("full", 100), Self.user("large", 40, photoBytes: 2000), Self.user("small", 1)]
        let answer = try await server.admin("accounts:batchCreate", ["users": .array(users)])
        #expect(answer.status == 200, "\(answer.json.text)")
        let told = (answer["error"]?.array ?? []).map { "\($0["index"]?.integer ?? -1) \($0["message"]?.string ?? "")" }
        #expect(told == ["1 providerUserInfo is too long"])
        for (user, status) in [("full", 400), ("small", 200)] {
            let link = Self.identity(200, of: user)
            let body: JSONValue = ["localId": .string(user), "linkProviderUserInfo": link]
            #expect(try await server.admin("accounts:update", body).status == status, "\(user)")
        }
        // One in the place of another is not one more.
        let again: JSONValue = ["localId": "full", "linkProviderUserInfo": Self.identity(0, of: "full", photoBytes: 10)]
        #expect(try await server.admin("accounts:update", again).status == 200)
        // All of them together have a bound, too.
        var (linked, number) = (0, 300)
        while number < 400 {
            let link = Self.identity(number, of: "small", photoBytes: 2000)
            let body: JSONValue = ["localId": "small", "linkProviderUserInfo": link]
            if try await server.admin("accounts:update", body).status == 200 { linked += 1 }
            number += 1
        }
        #expect(linked == 32)
    }

    @Test("end a page early, and the next page goes on", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let names = (0..<250).map { "user-\(1000 + $0)" }
        for start in stride(from: 0, to: names.count, by: 50) {
            let users = names[start..<start + 50].map { Self.user($0, 30, photoBytes: 2000) }
            #expect(try await server.admin("accounts:batchCreate", ["users": .array(users)])["error"] == nil)
        }
        var (seen, token, pages) = ([String](), "", 0)
        repeat {
            let page = try await server.list("maxResults=1000&nextPageToken=\(token)")
            seen += page["users"]?.array?.compactMap { $0["localId"]?.string } ?? []
            token = page["nextPageToken"]?.string ?? ""
            pages += 1
        } while !token.isEmpty
        #expect(seen == names)
        #expect(pages == 3)
    }
}
