import Foundation
import Project
import TestKit
import Testing

@Suite("The emulator's endpoints for codes", .teardown, .timeLimit(.minutes(15)))
struct EmulatorCodeTests {
    private func start(mode: ServerMode = .development) async throws -> TestServer {
        try await TestServer.start(mode: mode, project: TestServer.emailProject())
    }

    private func send(_ server: TestServer, _ body: JSONValue) async throws {
        let answer = try await server.call("sendOobCode", body)
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
    }

    private func follow(_ server: TestServer, _ query: [(String, String)]) async throws -> TestClient.Answer {
        try await server.client.get("/emulator/action?" + TestClient.encode([("apiKey", "any")] + query))
    }

    @Test("list what waits, in the order of its making, with links that lead to the emulator's page")
    func listing() async throws {
        let server = try await start()
        #expect(try await server.waitingCodes().isEmpty)
        let session = try await server.signUp("a@b.c")
        try await send(server, ["requestType": "PASSWORD_RESET", "email": "a@b.c", "continueUrl": "http://localhost/x"])
        try await send(server, session.token.merging(["requestType": "VERIFY_EMAIL"]))
        try await send(server, ["requestType": "EMAIL_SIGNIN", "email": "n@b.c", "continueUrl": "http://localhost/"])
        try await send(server, session.token.merging(["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@b.c"]))
        #expect(try await server.call("update", session.token.merging(["email": "other@b.c"])).status == 200)
        let codes = try await server.waitingCodes()
        let types = ["PASSWORD_RESET", "VERIFY_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "RECOVER_EMAIL"]
        #expect(codes.map { $0["requestType"]?.string } == types)
        let addresses = ["a@b.c", "a@b.c", "n@b.c", "a@b.c", "a@b.c"]
        #expect(codes.map { $0["email"]?.string } == addresses)
        for code in codes {
            let isChange = code["requestType"] == "VERIFY_AND_CHANGE_EMAIL"
            let members: Set = ["email", "requestType", "oobCode", "oobLink"]
            #expect(Set((code.object ?? [:]).keys.map(\.text)) == (isChange ? members.union(["newEmail"]) : members))
            let link = try #require(URLComponents(string: code["oobLink"]?.string ?? ""))
            #expect(link.path == "/emulator/action")
            #expect(link.port == server.port)
            let query = Dictionary((link.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
            #expect(query["oobCode"] == code["oobCode"]?.string)
            #expect(query["oobCode"]?.utf8.count == 54)
            #expect(query["apiKey"] == "fake-api-key")
            #expect(query["lang"] == "en")
        }
        #expect(codes[0]["oobLink"]?.string?.hasSuffix("&continueUrl=http%3A%2F%2Flocalhost%2Fx") == true)
        #expect(codes[3]["newEmail"] == "new@b.c")
        #expect(try await server.waitingCodes("projects/another").isEmpty)
    }

    @Test("keep the links that an administrator asked for, and forget used codes")
    func administratorLinks() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let link = try await server.link("PASSWORD_RESET", ["email": "a@b.c"])
        let waiting = try await server.waitingCodes()
        #expect(waiting.map { $0["oobLink"]?.string } == [link])
        let reset: JSONValue = ["oobCode": waiting[0]["oobCode"] ?? .null, "newPassword": "secret-2"]
        #expect(try await server.call("resetPassword", reset).status == 200)
        #expect(try await server.waitingCodes().isEmpty)
    }

    @Test("reset passwords as the emulator's page does")
    func resetPassword() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let link = try await server.link("PASSWORD_RESET", ["email": "a@b.c"])
        let code = try #require(try await server.waitingCodes().last?["oobCode"]?.string)
        func reset(_ more: [(String, String)]) async throws -> TestClient.Answer {
            try await follow(server, [("mode", "resetPassword"), ("oobCode", code)] + more)
        }
        let missing = try await server.client.get(link)
        #expect(missing.status == 400)
        #expect(missing["authEmulator"]?["error"] == "missing newPassword query parameter")
        #expect(missing["authEmulator"]?["urlTemplate"]?.string == link + "&newPassword=NEW_PASSWORD_HERE")
        #expect(missing["authEmulator"]?["instructions"]?.string != nil)
        #expect(missing["authEmulator"]?["instructions2"]?.string != nil)
        let placeholder = try await reset([("newPassword", "NEW_PASSWORD_HERE")])
        #expect(placeholder["authEmulator"]?["error"] == "newPassword must be something other than 'NEW_PASSWORD_HERE'")
        let weak = try await reset([("newPassword", "short")])
        #expect(weak.status == 400)
        #expect(weak.errorMessage == "WEAK_PASSWORD : Password should be at least 6 characters")
        #expect(try await server.client.send("HEAD", link + "&newPassword=secret-2").status == 200)
        let done = try await reset([("newPassword", "secret-2")])
        #expect(done.json == ["authEmulator": ["success": "The password has been successfully updated.", "email": "a@b.c"]])
        #expect(try await server.signIn("a@b.c", password: "secret-2").status == 200)
        let used = try await reset([("newPassword", "secret-3")])
        #expect(used.status == 400)
        let error = "Your request to reset your password has expired or the link has already been used."
        #expect(used["authEmulator"]?["error"]?.string == error)
    }

    @Test("verify, change and restore addresses as the emulator's page does")
    func addresses() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        func newest() async throws -> String {
            try #require(try await server.waitingCodes().last?["oobCode"]?.string)
        }
        func act(_ mode: String, _ code: String, _ more: [(String, String)] = []) async throws -> TestClient.Answer {
            try await follow(server, [("mode", mode), ("oobCode", code)] + more)
        }
        try await send(server, ["requestType": "PASSWORD_RESET", "email": "a@b.c"])
        let reset = try await newest()
        let verifyUsed = "Your request to verify your email has expired or the link has already been used."
        #expect(try await act("verifyEmail", reset)["authEmulator"]?["error"]?.string == verifyUsed)
        let mismatch = try await act("recoverEmail", reset)
        #expect(mismatch.status == 400)
        #expect(mismatch["authEmulator"]?["error"] == "Requested mode does not match the OOB code provided.")

        try await send(server, session.token.merging(["requestType": "VERIFY_EMAIL"]))
        let verified = try await act("verifyEmail", try await newest())
        #expect(verified.json == ["authEmulator": ["success": "The email has been successfully verified.", "email": "a@b.c"]])
        try await send(server, session.token.merging(["requestType": "VERIFY_EMAIL"]))
        let redirected = try await act("verifyEmail", try await newest(), [("continueUrl", "https://anywhere.example/x?y=1")])
        #expect(redirected.status == 303)
        #expect(redirected.header("Location") == "https://anywhere.example/x?y=1")

        try await send(server, session.token.merging(["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@b.c"]))
        let change = try await newest()
        let changed = try await act("verifyAndChangeEmail", change)
        let body: JSONValue = ["success": "The email has been successfully changed.", "newEmail": "new@b.c"]
        #expect(changed.json == ["authEmulator": body])
        let changeUsed = "Your request to change your email has expired or the link has already been used."
        #expect(try await act("verifyAndChangeEmail", change)["authEmulator"]?["error"]?.string == changeUsed)

        #expect(try await server.call("update", session.token.merging(["email": "third@b.c"])).status == 200)
        let recover = try await newest()
        let recovered = try await act("recoverEmail", recover, [("continueUrl", "https://anywhere.example/")])
        #expect(recovered.json == ["authEmulator": ["success": "The email has been successfully reset.", "email": "a@b.c"]])
        #expect(try await act("recoverEmail", recover).status == 400)
    }

    @Test("pass sign-ins on without looking at the code, and refuse what lacks something")
    func signIn() async throws {
        let server = try await start()
        let query = [("mode", "signIn"), ("oobCode", "any thing"), ("lang", "en"), ("tenantId", "t")]
        let answer = try await follow(server, query + [("continueUrl", "https://anywhere.example?keep=1&lang=xx")])
        #expect(answer.status == 303)
        let expected = "https://anywhere.example/?keep=1&apiKey=any&mode=signIn&oobCode=any%20thing&lang=en&tenantId=t"
        #expect(answer.header("Location") == expected)
        for (query, error) in [
            ("", "missing apiKey query parameter"), ("apiKey=k", "missing oobCode query parameter"),
            ("apiKey=k&oobCode=c", "Invalid mode"), ("apiKey=k&oobCode=c&mode=x", "Invalid mode"),
            ("apiKey=k&oobCode=c&mode=signIn", "Missing continueUrl query parameter"),
        ] {
            let answer = try await server.client.get("/emulator/action?\(query)")
            #expect(answer.status == 400)
            #expect(answer["authEmulator"]?["error"]?.string == error)
        }
    }

    @Test("do not exist in production")
    func production() async throws {
        let server = try await start(mode: .production)
        for path in [
            "/emulator/action?apiKey=k&oobCode=c", "/emulator/v1/projects/demo-test/oobCodes",
            "/emulator/v1/projects/demo-test/tenants/acme/oobCodes",
        ] {
            for headers in [[], [("Authorization", "Bearer owner")]] {
                let answer = try await server.client.get(path, headers: headers)
                #expect(answer.status == 404)
                #expect(answer.errorMessage == "Not Found")
            }
        }
        #expect(try await server.visit(action: []).status == 400)
    }

    @Test("tell pages of foreign origins nothing, however the path is written")
    func foreignPages() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        try await send(server, ["requestType": "PASSWORD_RESET", "email": "a@b.c"])
        let codes = "/emulator/v1/projects/demo-test/oobCodes"
        for path in [codes, "/" + codes, codes.replacing("/v1", with: "//v1"), codes + "/"] {
            for headers in [[("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")]] {
                let answer = try await server.client.get(path, headers: headers)
                #expect(answer.status == 403, "\(path) \(headers)")
                #expect(answer["oobCodes"] == nil)
                #expect(answer.header("Access-Control-Allow-Origin") == nil)
            }
        }
        let rebound = try await server.client.get(codes, headers: [("Host", "rebind.evil.example")])
        #expect(rebound.status == 403)
        for headers in [
            [("Origin", "http://localhost:3000"), ("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "none")],
            [("Sec-Fetch-Site", "same-origin")],
        ] {
            #expect(try await server.client.get(codes, headers: headers).status == 200)
        }
        // A click on a link in a mail that is read in a browser.
        let click = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        let link = try #require(try await server.waitingCodes().first?["oobLink"]?.string)
        #expect(try await server.client.get(link, headers: click).status == 400)
        let page = link.replacing("/emulator/action", with: "/__/auth/action")
        #expect(try await server.client.get(page, headers: click).status == 200)
        #expect(try await server.client.get("/emulator/v1/projects/..%2Fx/oobCodes").status == 400)
    }

    @Test("use up the code that is used and no other, and set a disabled user's password as well")
    func others() async throws {
        do {
            let server = try await start()
            let session = try await server.signUp("a@b.c")
            let change: JSONValue = ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@b.c"]
            for _ in 0..<2 { try await send(server, ["requestType": "PASSWORD_RESET", "email": "a@b.c"]) }
            try await send(server, change.merging(session.token))
            func codes() async throws -> [JSONValue] { try await server.waitingCodes().compactMap { $0["oobCode"] } }
            let all = try await codes()
            let off: JSONValue = ["localId": .string(session.localID), "disableUser": true]
            #expect(try await server.callAsAdmin("update", off).status == 200)
            for used in 0..<2 {
                #expect(try await server.call("resetPassword", ["oobCode": all[used]]).status == 200)
                #expect(try await server.call("resetPassword", ["oobCode": all[used], "newPassword": "secret-2"]).status == 200)
                #expect(try await codes() == Array(all.dropFirst(used + 1)))
            }
            let planted = try await server.signUp("c@b.c")
            try await send(server, change.merging(planted.token))
            let before = try await codes()
            let token = try server.oidcToken("c", TestServer.email("c@b.c"))
            #expect(try server.session(try await server.signIn("oidc.test", token)).localID == planted.localID)
            #expect(try await codes() == before)
        }
        let server = try await start(mode: .production)
        let session = try await server.signUp("a@b.c")
        let code: JSONValue = ["oobCode": .string(try await server.code("PASSWORD_RESET", ["email": "a@b.c"]))]
        // A disabled account keeps an address that it has proven (ruling 40).
        let change: JSONValue = ["localId": .string(session.localID), "disableUser": true, "emailVerified": true]
        _ = try await server.callAsAdmin("update", change)
        for body in [code, code.merging(["newPassword": "secret-2"])] {
            #expect(try await server.call("resetPassword", body).errorMessage == "USER_DISABLED")
        }
    }
}
