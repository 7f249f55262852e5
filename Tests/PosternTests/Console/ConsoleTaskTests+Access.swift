import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

extension ConsoleStage {
    /// Becomes the first operator: with a passkey, or without scripts with a password and an authenticator app.
    func enroll() async throws {
        let code = try #require(try await server.core.useCases.console.invitations.firstStart())
        try await open("/console/invitation?code=\(code)")
        try await type(Self.email, into: "E-mail address")
        try await press("Continue")
        if way.hasScripts {
            try await type("laptop", into: "Name of the passkey")
            try await press("Make a passkey")
        } else {
            try await sees("Passkeys need JavaScript.")
            try await unfold("Use a password and an authenticator app instead")
            try await addToApp()
            try await type(ConsoleClient.password, into: "Password")
            try await type(nextCode(), into: "Code")
            try await press("Finish")
        }
        try await sees("Sign-ins")
    }

    /// Proves a factor on the page that asks for one.
    func confirm() async throws {
        if way.hasScripts {
            try await press("Confirm with a passkey")
        } else {
            try await type(ConsoleClient.password, into: "Password")
            try await type(nextCode(), into: "Code")
            try await press("Confirm")
        }
    }

    /// The operator's record.
    var record: OperatorRecord {
        get async throws {
            try #require(try await server.core.useCases.console.directory.all().first { $0.email == Self.email })
        }
    }

    /// The role of an operator; `nil` when there is none of the address.
    func role(of email: String) async throws -> String? {
        let all = try await server.core.useCases.console.directory.all()
        return all.first { $0.email == email }?.role
    }

    /// The operator's sessions.
    var sessions: [OperatorSessionRecord] {
        get async throws {
            let id = try await record.operatorID
            return try await server.core.database.read { try $0.operatorSessions("demo-test", operatorID: id) }
        }
    }

    /// What the audit trail says that the operator did.
    func deeds(_ event: String) async throws -> Int {
        try await server.auditTrail().count { $0[0] == event && $0[1] == Self.actor }
    }
}

extension ConsoleTask {
    static let access = [
        ConsoleTask("/invitation", "the first operator comes in") { stage in
            try await stage.enroll()
            let record = try await stage.record
            #expect(record.role == "owner" && record.hasPassword != stage.way.hasScripts)
            #expect(try await stage.sessions.count == 1)
        },
        ConsoleTask("/confirm", "a factor is proven again") { stage in
            stage.server.clock.advance(by: .seconds(301))
            try await stage.open("/console/profile")
            try await stage.follow("Confirm that it is you")
            try await stage.confirm()
            #expect(try await stage.sessions.map(\.confirmedAt) == [stage.server.clock.now])
            try await stage.sees("Add a passkey")
        },
        ConsoleTask("/profile", "password and app are set, and another session is ended") { stage in
            try await stage.open("/console/profile")
            try await stage.unfold(stage.way.hasScripts ? setPassword : "Replace password and authenticator app")
            try await stage.addToApp()
            try await stage.type(ConsoleClient.password, into: "Password")
            try await stage.type(stage.nextCode(), into: "Code")
            try await stage.press(setPassword)
            try await stage.sees("Saved.")
            #expect(try await stage.record.hasPassword)

            let other = try await ConsoleClient.signIn(stage.server, email: ConsoleStage.email, app: stage.nextApp())
            #expect(try await stage.sessions.count == 2)
            try await stage.open("/console/profile")
            try await stage.press("End")
            #expect(try await stage.sessions.count == 1)
            #expect(try await other.get("/console/profile").status == 303)
        },
        ConsoleTask("/sign-out", "the session ends") { stage in
            try await stage.unfold(ConsoleStage.email)
            try await stage.press("Sign out")
            #expect(try await stage.sessions == [])
        },
        ConsoleTask("/sign-in", "the operator comes back to the page that was asked for") { stage in
            try await stage.open("/console/operators")
            if stage.way.hasScripts {
                try await stage.press("Sign in with a passkey")
            } else {
                try await stage.unfold("Use a password and a code instead")
                try await stage.type(ConsoleStage.email, into: "E-mail address")
                try await stage.type(ConsoleClient.password, into: "Password")
                try await stage.type(stage.nextCode(), into: "Code")
                try await stage.press("Sign in")
            }
            #expect(try await stage.sessions.count == 1)
            try await stage.sees("Invite an operator")
        },
        ConsoleTask("/operators", "a colleague is invited") { stage in
            try await stage.menu("Operators")
            try await stage.type("grace@example.com", into: "E-mail address")
            try await stage.choose("Support", from: "Role")
            try await stage.press("Invite an operator")
            let link = try await stage.code("Link for the operator")
            let code = try #require(link.split(separator: "=").last.map(String.init))
            _ = try await ConsoleClient.accept(code, email: "grace@example.com", on: stage.server)
            #expect(try await stage.role(of: "grace@example.com") == "support")
        },
        ConsoleTask("/operators/{id}", "a colleague gets another role, and is removed") { stage in
            try await stage.menu("Operators")
            try await stage.follow("grace@example.com")
            try await stage.choose("Viewer", from: "Role")
            try await stage.pressTwice("Save")
            #expect(try await stage.role(of: "grace@example.com") == "viewer")
            try await stage.follow("grace@example.com")
            try await stage.pressTwice("Remove this operator")
            #expect(try await stage.role(of: "grace@example.com") == nil)
        },
    ]

    private static let setPassword = "Set password and authenticator app"
}
