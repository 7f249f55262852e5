import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// Numbers that overflow sums, as numbers and as texts.
@Suite("No number from outside ends the server", .teardown, .timeLimit(.minutes(15)))
struct ExtremeNumberTests {
    private static let numbers: [Int64] = [
        .max, .min, .max - 1, .min + 1, .max / 1000, .min / 1000, 253_402_300_800_000, -62_135_596_800_001, 0, -1,
    ]
    private static let others: [JSONValue] = [.number(1e308), .number(-1e308), "1e308", "99999999999999999999"]
    private static let values: [JSONValue] =
        numbers.map(JSONValue.integer) + numbers.map { JSONValue.string(String($0)) } + others

    // One member of an object.
    private static func member(_ name: String, _ value: JSONValue) -> JSONValue { .object([MemberName(name): value]) }

    private func expectAlive(_ server: TestServer, _ what: String, _ location: SourceLocation = #_sourceLocation) async throws {
        #expect(try await server.client.get("/healthz").status == 200, "\(what)", sourceLocation: location)
    }

    // Whether the members that the row does not keep, or keeps as they are, are times of the calendar.
    private static func isRefused(_ value: JSONValue) -> Bool {
        let number = value.integer ?? value.string.flatMap { Int64($0) }
        return number.map { !Timestamp(milliseconds: $0).isOfCalendar } ?? false
    }

    @Test("in a row of an import, which is refused alone, also in a dry run", arguments: Engine.allCases)
    func rows(engine: Engine) async throws {
        let server = try await TestServer.start(
            environment: ConsoleClient.environment,
            project: TestServer.emailProject(),
            on: engine
        )
        let names = ["createdAt", "lastLoginAt", "validSince", "passwordUpdatedAt", "lastRefreshAt", "version"]
        var (rows, refused): ([JSONValue], [String]) = ([], [])
        for (index, value) in Self.values.enumerated() {
            for name in names {
                let id = "\(name)-\(index)"
                let row: JSONValue = [
                    "localId": .string(id), "email": .string("\(id.lowercased())@example.com"), "rawPassword": "secret-1",
                ]
                rows.append(row.merging(Self.member(name, value)))
                let isKept = name == "createdAt" || name == "lastLoginAt"
                if isKept, Self.isRefused(value) { refused.append("\(name) is not within the years 1 to 9999") }
            }
        }
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/imports")
        let file: JSONValue = ["users": .array(rows)]
        let fields = [("format", "json"), ("users", file.text)]
        for isDry in [true, false] {
            let page = try await owner.post("/console/imports", fields + (isDry ? [("dryRun", "on")] : []))
            #expect(page.status == 200, "\(page.html)")
            #expect(page.html.contains("createdAt is not within the years 1 to 9999"))
            try await expectAlive(server, "console, dry run: \(isDry)")
        }
        let answer = try await server.admin("accounts:batchCreate", ["users": .array(rows), "allowOverwrite": true])
        #expect(answer.status == 200, "\(answer.json)")
        #expect((answer["error"]?.array ?? []).compactMap { $0["message"]?.string } == refused)
        // What was taken is of use: it signs in, is read, listed, searched and exported.
        let first = try #require(try await server.list("maxResults=1000")["users"]?.array)
        #expect(first.count == rows.count - refused.count)
        for user in first.prefix(30) {
            let email = try #require(user["email"])
            let signedIn = try await server.call("signInWithPassword", ["email": email, "password": "secret-1"])
            #expect(signedIn.status == 200, "\(user)")
        }
        for order in ["CREATED_AT", "LAST_LOGIN_AT"] {
            #expect(try await server.admin("accounts:query", ["sortBy": .string(order), "order": "DESC"]).status == 200)
        }
        for path in ["users", "users/createdAt-0", "policies"] {
            #expect(try await owner.get("/console/\(path)").status < 500, "\(path)")
        }
    }

    @Test("in a row of any other kind of file")
    func files() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/imports")
        for value in Self.values {
            let text = value.string ?? value.text
            let cells = (0..<27).map { $0 == 0 ? "csv" : $0 == 23 || $0 == 24 ? text : "" }.joined(separator: ",")
            let keycloak: JSONValue = ["users": [["id": "k", "createdTimestamp": value]]]
            let auth0: JSONValue = [["user_id": "auth0|a", "created_at": value, "last_login": value]]
            let supabase: JSONValue = [
                ["id": "s", "created_at": value, "last_sign_in_at": value, "banned_until": value, "phone": value]
            ]
            let firebase: JSONValue = ["users": [["localId": "f", "validSince": value, "lastSignedInAt": value]]]
            for (format, file) in [
                ("csv", cells), ("keycloak", keycloak.text), ("auth0", auth0.text), ("supabase", supabase.text),
                ("json", firebase.text),
            ] {
                for more in [[("dryRun", "on")], []] {
                    let page = try await owner.post("/console/imports", [("format", format), ("users", file)] + more)
                    #expect(page.status == 200, "\(format) \(text)")
                }
            }
        }
        try await expectAlive(server, "files")
    }

    @Test("in a change of an account", arguments: Engine.allCases)
    func changes(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let made = try await server.admin("accounts", ["localId": "u", "email": "u@example.com", "password": "secret-1"])
        #expect(made.status == 200)
        let signIn: JSONValue = ["email": "u@example.com", "password": "secret-1"]
        for value in Self.values {
            for name in ["createdAt", "lastLoginAt", "validSince"] {
                let change: JSONValue = ["localId": "u"]
                let answer = try await server.admin("accounts:update", change.merging(Self.member(name, value)))
                #expect(answer.status == 200 || answer.status == 400, "\(name) \(value)")
                for body in [signIn, signIn.merging(["email": "U@example.com"])] {
                    // An account whose tokens are invalid until a later time signs in all the same.
                    #expect(try await server.call("signInWithPassword", body).status == 200, "\(name) \(value)")
                }
                let reset: JSONValue = ["localId": "u", "password": "secret-1"]
                #expect(try await server.admin("accounts:update", reset).status == 200, "\(name) \(value)")
                #expect(try await server.user("u")?["localId"] == "u")
            }
        }
        let late: JSONValue = ["localId": "u", "createdAt": .integer(.max)]
        let refused = try await server.admin("accounts:update", late)
        #expect(refused.errorMessage?.hasSuffix("/createdAt must be within the years 1 to 9999") == true)
    }

    @Test("in the times of a provider's token, a custom token, or one of a service account")
    func tokens() async throws {
        let server = try await TestServer.start()
        let minter = try await CustomTokenTests.Minter(on: server)
        for value in Self.values {
            for name in ["iat", "exp", "nbf", "auth_time"] {
                let claim: JSONValue = Self.member(name, value)
                let provided = try await server.signIn("oidc.test", try server.oidcToken("r", claim))
                #expect(provided.status == 200 || provided.status == 400, "\(name) \(value)")
                let custom = try await server.call("signInWithCustomToken", ["token": .string(minter.token("u", claim))])
                #expect(custom.status == 200 || custom.status == 400, "\(name) \(value)")
                let both: JSONValue = ["iat": value, "exp": value]
                _ = try await server.call("signInWithCustomToken", ["token": .string(minter.token("u", both))])
                let body = Data(
                    TestClient.encode([
                        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                        ("assertion", try minter.token("u", both)),
                    ]).utf8
                )
                let type = [("Content-Type", "application/x-www-form-urlencoded")]
                let granted = try await server.client.send("POST", "/oauth2/token", headers: type, body: body)
                #expect(granted.status < 500, "\(name) \(value)")
            }
        }
        try await expectAlive(server, "tokens")
    }

    @Test("in an unsigned token that development believes")
    func emulatedTokens() async throws {
        let server = try await TestServer.start(mode: .development)
        let session = try server.session(try await server.call("signUp", ["email": "a@example.com", "password": "secret-1"]))
        let claims = try server.payload(session.idToken)
        for value in Self.values {
            for name in ["iat", "exp", "auth_time"] {
                let token = HostileToken.unsigned(claims.merging(Self.member(name, value)))
                for (method, body) in [
                    ("lookup", [:]), ("update", ["displayName": "x"]), ("update", ["password": "secret-1"]),
                ] as [(String, JSONValue)] {
                    let answer = try await server.call(method, body.merging(["idToken": .string(token)]))
                    #expect(answer.status < 500, "\(method) \(name) \(value)")
                }
                let cookie: JSONValue = ["idToken": .string(token), "validDuration": value]
                #expect(try await server.admin(":createSessionCookie", cookie).status < 500, "\(name) \(value)")
            }
        }
        try await expectAlive(server, "unsigned tokens")
    }

    @Test("in any member or parameter that is a number", arguments: [ServerMode.development, .production])
    func places(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode)
        #expect(try await server.admin("accounts", ["localId": "x"]).status == 200)
        let document = try await server.client.get("/openapi.json").json
        let places = RequestPlace.distinct(in: document).filter { place in
            ["int64", "int32"].contains(place.schema["format"]?.string) || place.schema["type"] == "integer"
                || place.schema["type"] == "number"
        }
        #expect(places.count > 10)
        for place in places {
            for value in Self.values {
                let text = value.string ?? value.text
                let query = place.query.map { "&\($0)=\(PercentEncoding.encode(text))" } ?? ""
                // A row or an account must be there for the number to be looked at.
                var body = place.body(value)
                if place.pointer.first == "users", let row = body["users"]?[0] {
                    body = ["users": [row.merging(["localId": "row"])]]
                } else if place.siblings.contains("localId"), place.pointer.first != "localId" {
                    body = body.merging(["localId": "x"])
                }
                let answer = try await server.client.send(
                    place.method,
                    "\(place.path(of: "demo-test"))?key=\(TestServer.apiKey)\(query)",
                    headers: [("Authorization", "Bearer \(TestServer.adminToken)"), ("Content-Type", "application/json")],
                    body: place.method == "GET" ? nil : body.serialized()
                )
                #expect(answer.status < 500 || answer.status == 501, "\(place) \(value)")
            }
        }
    }
}
