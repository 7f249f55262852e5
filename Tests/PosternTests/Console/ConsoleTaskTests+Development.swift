import Accounts
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

extension ConsoleTask {
    static let developmentSetting = ConsoleStage.Setting(
        mode: .development,
        environment: ["POSTERN_CONSOLE_APPROVALS": "true"]
    )

    static let development = [
        ConsoleTask("/development", "a code is taken from a mail that was not sent, and all users are deleted") { stage in
            try await stage.make("grace")
            let body: JSONValue = ["requestType": "PASSWORD_RESET", "email": "grace@example.com"]
            #expect(try await stage.server.call("sendOobCode", body).status == 200)
            try await stage.menu("Development")
            let code = try await stage.look(
                "return text(all('tbody tr', null).find(e => text(e).includes('grace@')).querySelectorAll('code')[1])"
            )
            let reset: JSONValue = ["oobCode": code, "newPassword": "secret-2"]
            #expect(try await stage.server.call("resetPassword", reset).status == 200, "\(code.text)")
            #expect(try await stage.server.signIn("grace@example.com", password: "secret-2").status == 200)
            try await stage.pressTwice("Delete all users")
            #expect(try await stage.account("grace") == nil)
        },
        ConsoleTask("/development/requests", "the request of an app is found with its answer") { stage in
            let body: JSONValue = ["email": "nobody@example.com", "password": "secret-1"]
            #expect(try await stage.server.call("signInWithPassword", body).status == 400)
            try await stage.menu("Development")
            try await stage.follow("Requests")
            let latest = try await stage.look("return text(all('main summary', null)[0])").string ?? ""
            #expect(latest.hasPrefix("400 POST /v1/accounts:signInWithPassword"), "\(latest)")
            try await stage.unfold(latest)
            try await stage.sees("nobody@example.com")
            try await stage.sees("EMAIL_NOT_FOUND")
        },
        ConsoleTask("/development/seeds", "users are saved under a name, and come back by it") { stage in
            try await stage.make("grace")
            try await stage.menu("Development")
            try await stage.follow("Seed sets")
            try await stage.type("one-user", into: "Name")
            try await stage.press("Save what is there now")
            let body: JSONValue = ["localId": "grace"]
            #expect(try await stage.server.callAsAdmin("delete", body).status == 200)
            try await stage.make("late")
            try await stage.pressTwice("Load", in: "one-user")
            #expect(try await stage.account("grace")?.email == "grace@example.com")
            #expect(try await stage.account("late") == nil)
        },
        ConsoleTask("/approvals", "the operator agrees to what another one asks for") { stage in
            let other = try await ConsoleClient.enroll(stage.server, role: .administrator)
            let kid = try stage.server.core.keyRing.current().kid
            let rotate = [("do", "rotate"), ("confirmed", "yes")]
            stage.server.clock.advance(by: .seconds(1))
            _ = try await other.get("/console/keys")
            #expect(try await other.post("/console/keys", rotate).location?.hasPrefix("/console/approvals") == true)
            #expect(try stage.server.core.keyRing.current().kid == kid)
            try await stage.menu("Approvals")
            try await stage.press("Agree", in: other.email)
            #expect(try await other.post("/console/keys", rotate).location == "/console/keys?done=saved")
            #expect(try stage.server.core.keyRing.current().kid != kid)
        },
        // The last one: what was proven just now is long ago afterwards.
        ConsoleTask("/development/clock", "the server's clock is moved forward") { stage in
            try await stage.menu("Development")
            try await stage.follow("Clock")
            try await stage.type("20", into: "How much")
            try await stage.choose("minutes", from: "Unit")
            try await stage.press("Move the clock forward")
            #expect(try await stage.fact("Minutes ahead of the real time") == "20")
            let ahead = stage.server.core.environment.now().milliseconds - stage.server.clock.now.milliseconds
            #expect(ahead == 20 * 60 * 1000)
        },
    ]
}
