import Accounts
import Project
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
    ]
}
