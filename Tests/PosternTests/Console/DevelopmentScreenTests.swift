import Accounts
import Foundation
import HTTPAPI
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The console's tools for developers", .teardown, .timeLimit(.minutes(15)))
struct DevelopmentScreenTests {
    private static let root = "/console/development"

    private func start(
        _ environment: [String: String] = [:],
        on engine: Engine = .sqlite
    ) async throws -> (TestServer, ConsoleClient) {
        let environment = ConsoleClient.environment.merging(environment) { $1 }
        let server = try await TestServer.start(mode: .development, environment: environment, on: engine)
        let enabled: JSONValue = ["signIn": ["email": ["enabled": true, "passwordRequired": true]]]
        #expect(try await server.admin("PATCH", "/config?updateMask=signIn", enabled).status == 200)
        return (server, try await ConsoleClient.enroll(server))
    }

    @Test("the latest requests are listed with their answers, as text, and long ones are cut")
    func requests() async throws {
        let (server, owner) = try await start()
        let refused = try await server.call("signInWithPassword", ["email": "<b>@x", "password": "secret-1"])
        #expect(refused.status == 400)
        let name = String(repeating: "n", count: 6000)
        #expect(try await server.call("signUp", ["displayName": .string(name)]).status == 200)
        let page = try await owner.get("\(Self.root)/requests")
        #expect(page.html.contains("400 POST /v1/accounts:signInWithPassword"))
        #expect(page.html.contains("&lt;b&gt;@x") && page.html.contains("secret-1"))
        #expect(page.html.contains(try #require(refused.errorMessage)))
        #expect(page.html.contains("200 POST /v1/accounts:signUp") && page.html.contains("refreshToken"))
        #expect(page.html.contains(String(repeating: "n", count: 4000)) && !page.html.contains(name))
        let newest = try #require(page.html.firstRange(of: "200 POST"))
        let older = try #require(page.html.firstRange(of: "400 POST"))
        #expect(newest.lowerBound < older.lowerBound)
        // Pages of the console are not among them.
        #expect(!page.html.contains("GET /console"))
        // Monitors are not among them, either.
        _ = try await server.client.get("/healthz")
        #expect(server.core.developmentTools?.journal.latest.count == 3)
        for _ in 0..<120 { _ = try await server.client.get("/v1/projects") }
        #expect(server.core.developmentTools?.journal.latest.count == 100)
        server.clock.advance(by: .seconds(601))
        #expect(try await owner.get("\(Self.root)/requests").html.contains("Nothing has been asked yet."))
    }

    @Test("a request whose body is never sent whole is answered and listed")
    func brokenRequests() async throws {
        let (server, _) = try await start()
        let answer = try await server.client.send("POST", "/v1/accounts:signUp?key=x", headers: [], body: Data("{\"a".utf8))
        #expect(answer.status == 400)
        #expect(server.core.developmentTools?.journal.latest.first?.request == "{\"a")
    }

    @Test("the clock moves forward: an ID token ends, and the operator's authenticator app goes on to work")
    func clock() async throws {
        let (server, owner) = try await start()
        let session = try server.session(try await server.call("signUp", [:]))
        let lookUp: JSONValue = ["idToken": .string(session.idToken)]
        #expect(try await server.call("lookup", lookUp).status == 200)
        _ = try await owner.get("\(Self.root)/clock")
        func advance(_ amount: String, _ unit: String) async throws -> ConsoleClient.Page {
            try await owner.post("\(Self.root)/clock", [("amount", amount), ("unit", unit)])
        }
        for (amount, unit) in [
            ("0", "hours"), ("-1", "hours"), ("1", "years"), ("1001", "days"), ("2147483647", "days"), ("x", "days"),
            ("", "minutes"),
        ] {
            #expect(try await advance(amount, unit).status == 400, "\(amount) \(unit)")
        }
        #expect(try await advance("20", "minutes").location == "\(Self.root)/clock?done=saved")
        #expect(try await server.call("lookup", lookUp).status == 200)
        #expect(try await owner.get("\(Self.root)/clock").html.contains(">20<"))
        #expect(try await server.auditDetails("clockMoved") == [["seconds": 1200]])
        #expect(try await advance("2", "hours").status == 303)
        let ended = try await server.call("lookup", lookUp)
        #expect(ended.errorMessage == "TOKEN_EXPIRED", "\(ended.status) \(ended.errorMessage ?? "-")")
        let reset: JSONValue = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
        #expect(try await server.admin("accounts", ["email": "ada@example.com"]).status == 200)
        #expect(try await server.call("sendOobCode", reset).status == 200)
        let mails = try await server.client.get("/emulator/v1/projects/demo-test/oobCodes")
        let code: JSONValue = ["oobCode": try #require(mails["oobCodes"]?[0]?["oobCode"])]
        #expect(try await server.call("resetPassword", code).status == 200)
        server.clock.advance(by: .seconds(3601))
        #expect(try await server.call("resetPassword", code).errorMessage == "EXPIRED_OOB_CODE")
        // The session of the console has ended by the same clock.
        #expect(try await owner.get("/console").location?.hasPrefix("/console/sign-in") == true)
        server.clock.advance(by: .seconds(30))
        #expect(try await owner.signIn().status == 303)
        _ = try await owner.get("\(Self.root)/clock")
        #expect(try await advance("998", "days").status == 303)
        owner.cookie = nil
        server.clock.advance(by: .seconds(30))
        #expect(try await owner.signIn().status == 303)
        _ = try await owner.get("\(Self.root)/clock")
        #expect(try await advance("2", "days").status == 400, "a thousand days in all")
    }

    @Test(
        "a seed set has the users of the project and its tenants, and takes their place again",
        arguments: Engine.allCases
    )
    func seeds(engine: Engine) async throws {
        let directory = try await makeTemporaryDirectory()
        let (server, owner) = try await start(["POSTERN_DEVELOPMENT_SEEDS": "\(directory)/sets"], on: engine)
        let path = "\(Self.root)/seeds"
        #expect(try await owner.get(path).html.contains("There is no set yet."))
        let tenant: JSONValue = ["allowPasswordSignup": true]
        #expect(try await server.admin("PATCH", "/tenants/acme?updateMask=allowPasswordSignup", tenant).status == 200)
        let ada: JSONValue = ["email": "ada@example.com", "password": "correct horse"]
        #expect(try await server.call("signUp", ada).status == 200)
        #expect(try await server.call("signUp", ada.merging(["tenantId": "acme"])).status == 200)
        // Users of a disabled tenant are neither lost nor in the way.
        let off = SleepingUser.inDisabledTenant
        #expect(try await off.add(to: server) == 200)
        #expect(try await owner.post(path, [("do", "save"), ("name", "first-set")]).location == "\(path)?done=saved")
        for name in ["../x", "A", "", "a/b", ".", String(repeating: "a", count: 41), "a.b", "é"] {
            #expect(try await owner.post(path, [("do", "save"), ("name", name)]).status == 400, "\(name)")
            let load = [("do", "load"), ("name", name), ("confirmed", "yes")]
            #expect(try await owner.post(path, load).status == 400, "\(name)")
        }
        #expect(try await server.call("signUp", ["email": "late@example.com", "password": "password"]).status == 200)
        let late: JSONValue = ["email": "other@example.com", "password": "password", "tenantId": "acme"]
        #expect(try await server.call("signUp", late).status == 200)

        let page = try await owner.get(path)
        #expect(page.html.contains("first-set"))
        let asked = try await owner.post(path, [("do", "load"), ("name", "first-set")])
        #expect(asked.html.contains("name=\"confirmed\""))
        let load = [("do", "load"), ("name", "first-set"), ("confirmed", "yes")]
        #expect(try await owner.post(path, load).location == "\(path)?done=saved")
        #expect(try await server.call("signInWithPassword", ada).status == 200)
        #expect(try await server.call("signInWithPassword", ada.merging(["tenantId": "acme"])).status == 200)
        let gone: JSONValue = ["email": "late@example.com", "password": "password"]
        #expect(try await server.call("signInWithPassword", gone).errorMessage == "EMAIL_NOT_FOUND")
        #expect(try await server.call("signInWithPassword", late).errorMessage == "EMAIL_NOT_FOUND")

        #expect(try await off.isThere(server))

        // A set of the same name is replaced, and one more cannot be read once it is damaged.
        let again = [("do", "save"), ("name", "first-set")]
        #expect(try await owner.post(path, again).html.contains("name=\"confirmed\""))
        #expect(try await owner.post(path, again + [("confirmed", "yes")]).status == 303)
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(directory)/sets/first-set/auth_export/accounts.json"))
        #expect(try await owner.post(path, load).status == 400)
        #expect(try await server.call("signInWithPassword", ada).status == 200, "the users stay")
        #expect(try await off.isThere(server))
        let remove = [("do", "remove"), ("name", "first-set"), ("confirmed", "yes")]
        #expect(try await owner.post(path, remove).status == 303)
        #expect(try await owner.get(path).html.contains("There is no set yet."))
        for (event, times) in [("seedSetSaved", 2), ("seedSetLoaded", 1), ("seedSetRemoved", 1)] {
            let expected = Array(repeating: ["set": "first-set"] as JSONValue, count: times)
            #expect(try await server.auditDetails(event) == expected, "\(event)")
        }
    }

    @Test("with PostgreSQL there is no place for seed sets unless the settings name one, and the page says so")
    func noPlace() async throws {
        let (_, owner) = try await start(on: .postgreSQL)
        #expect(try await owner.get("\(Self.root)/seeds").html.contains("development.seeds"))
    }

    @Test(
        "a load that was cut off loses nobody: the page says so, and brings the users from before back",
        arguments: [true, false]
    )
    func interruptedLoad(bringsBack: Bool) async throws {
        let directory = try await makeTemporaryDirectory()
        let (server, owner) = try await start(["POSTERN_DEVELOPMENT_SEEDS": "\(directory)/sets"])
        let (path, before) = ("\(Self.root)/seeds", "\(directory)/sets/.before")
        func post(_ action: String, _ name: String? = nil) async throws -> ConsoleClient.Page {
            _ = try await owner.get(path)
            let named = name.map { [("name", $0)] } ?? []
            return try await owner.post(path, [("do", action), ("confirmed", "yes")] + named)
        }
        #expect(try await post("save", "empty").status == 303)
        for action in ["bringBack", "giveUp"] { #expect(try await post(action).status == 400, "\(action)") }
        let ada: JSONValue = ["email": "ada@example.com", "password": "correct horse"]
        #expect(try await server.call("signUp", ada).status == 200)
        // As when the server dies after the users were put aside and removed.
        #expect(try await post("save", "aside").status == 303)
        try FileManager.default.moveItem(atPath: "\(directory)/sets/aside", toPath: before)
        #expect(
            try await server.client.send("DELETE", "/emulator/v1/projects/demo-test/accounts", headers: []).status == 200
        )

        let shown = try await owner.get(path).html
        #expect(shown.contains("The last load did not end.") && shown.contains("Bring back the users from before"))
        #expect(try await post("load", "empty").status == 400)
        #expect(FileManager.default.fileExists(atPath: before))
        #expect(try await owner.post(path, [("do", "bringBack")]).html.contains("name=\"confirmed\""))
        #expect(try await post(bringsBack ? "bringBack" : "giveUp").status == 303)
        #expect(try await server.call("signInWithPassword", ada).status == (bringsBack ? 200 : 400))
        #expect(!FileManager.default.fileExists(atPath: before))
        #expect(try await !owner.get(path).html.contains("The last load did not end."))
        #expect(try await post("load", "empty").status == 303)
        #expect(try await server.auditDetails(bringsBack ? "seedLoadUndone" : "seedLoadGivenUp").count == 1)
    }

    @Test("production and other roles have none of it", arguments: ["requests", "seeds", "clock"])
    func others(page: String) async throws {
        let path = "\(Self.root)/\(page)"
        do {
            let server = try await TestServer.start(environment: ConsoleClient.environment)
            let owner = try await ConsoleClient.enroll(server)
            #expect(try await owner.get(path).status == 404)
            #expect(server.core.developmentTools == nil)
            for action in ["save", "load", "remove"] {
                let fields = [("do", action), ("name", "a"), ("amount", "1"), ("unit", "days"), ("confirmed", "yes")]
                // The page of the requests has no form at all.
                #expect(try await owner.post(path, fields).status == (page == "requests" ? 405 : 404))
            }
        }
        let (server, _) = try await start()
        for role in [OperatorRole.support, .viewer] {
            #expect(try await ConsoleClient.enroll(server, role: role).get(path).status == 403)
        }
        let tenants = try await ConsoleClient.enroll(server, role: .administrator, tenantID: "acme", email: "t@example.com")
        #expect(try await tenants.get(path).status == 403)
    }
}

/// A user of a tenant that is disabled afterwards.
private struct SleepingUser {
    static let inDisabledTenant = SleepingUser()

    private let scope = Scope(projectID: "demo-test", tenantID: "off")

    func add(to server: TestServer) async throws -> Int {
        let body: JSONValue = ["localId": "asleep"]
        #expect(try await server.admin("accounts", body, tenant: "off").status == 200)
        let disabled: JSONValue = ["disableAuth": true]
        return try await server.admin("PATCH", "/tenants/off?updateMask=disableAuth", disabled).status
    }

    func isThere(_ server: TestServer) async throws -> Bool {
        let scope = scope
        return try await server.core.database.read { try $0.account(scope, localID: "asleep") } != nil
    }
}
