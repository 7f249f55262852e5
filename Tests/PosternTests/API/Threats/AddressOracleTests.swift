import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Whether an address has an account", .teardown, .timeLimit(.minutes(15)))
struct AddressOracleTests {
    private enum Target: String, CaseIterable {
        case free = "free@example.com"
        case held = "held@example.com"
        case proven = "proven@example.com"
    }

    private func start(
        hidesAccounts: Bool = true,
        _ more: [String: String] = [:],
        on engine: Engine = .sqlite
    ) async throws -> (TestServer, SMTPServer) {
        let smtp = try await SMTPServer.start()
        let environment = more.merging(
            [
                "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
                "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
            ]
        ) { $1 }
        let project = TestServer.emailProject(hidesAccounts: hidesAccounts)
        let server = try await TestServer.start(environment: environment, project: project, on: engine)
        _ = try await server.signUp(Target.held.rawValue)
        _ = try await server.verifiedUser(Target.proven.rawValue)
        return (server, smtp)
    }

    private func ask(_ server: TestServer, _ session: TestServer.Session, _ target: Target) async throws -> TestClient.Answer {
        let body: JSONValue = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(session.idToken), "newEmail": .string(target.rawValue),
        ]
        return try await server.call("sendOobCode", body)
    }

    @Test(
        "is not told to whoever asks to change to it: the answer is one, and a proven one gets no mail (ENU-07)",
        arguments: Engine.allCases
    )
    func changes(engine: Engine) async throws {
        let (server, smtp) = try await start(["POSTERN_LIMITS_EMAIL_PER_RECIPIENT_PER_HOUR": "2"], on: engine)
        var answers: Set<String> = []
        var refusals: Set<String?> = []
        // The proven one comes first: its mail would be among those that are waited for.
        for target in Target.allCases.reversed() {
            let asker = try await server.verifiedUser("asker@example.com")
            let body: JSONValue = ["idToken": .string(asker.idToken), "newEmail": "mailbox@example.com"]
            let older = try await server.code("VERIFY_AND_CHANGE_EMAIL", body)
            for _ in 0..<2 {
                let answer = try await ask(server, asker, target)
                answers.insert("\(answer.status) \(answer.json.text)")
            }
            // The older code ends, as it does with a code for a free address.
            #expect(try await server.call("update", ["oobCode": .string(older)]).errorMessage == "INVALID_OOB_CODE")
            refusals.insert(try await ask(server, asker, target).errorMessage)
            #expect(try await server.call("delete", asker.token).status == 200)
        }
        #expect(answers == [#"200 {"email":"asker@example.com","kind":"identitytoolkit#GetOobConfirmationCodeResponse"}"#])
        #expect(refusals == ["TOO_MANY_ATTEMPTS_TRY_LATER : Too many messages. Please try again later."])
        var recipients: [String] = []
        for number in 1...4 { recipients += try await smtp.message(number)["rcptTos"]?.array?.compactMap(\.string) ?? [] }
        #expect(recipients.sorted() == [Target.free, .free, .held, .held].map(\.rawValue))
    }

    @Test("is told where accounts are not hidden and to administrators, if another account has proven it (ENU-07)")
    func toldChanges() async throws {
        for hidesAccounts in [false, true] {
            let (server, _) = try await start(hidesAccounts: hidesAccounts)
            let asker = try await server.verifiedUser("asker@example.com")
            for target in Target.allCases {
                let body: JSONValue = [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "asker@example.com",
                    "newEmail": .string(target.rawValue), "returnOobLink": true,
                ]
                let given = try await server.callAsAdmin("sendOobCode", body)
                #expect(given.errorMessage == (target == .proven ? "EMAIL_EXISTS" : nil), "\(target)")
                #expect((given["oobCode"] == nil) == (target == .proven))
                if !hidesAccounts {
                    let answer = try await ask(server, asker, target)
                    #expect(answer.errorMessage == (target == .proven ? "EMAIL_EXISTS" : nil), "\(target)")
                }
            }
        }
    }

    @Test("is told to whoever changes to it where accounts are not hidden, but only so often (ENU-02)")
    func directChanges() async throws {
        let (server, _) = try await start(hidesAccounts: false, ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "4"])
        let asker = try await server.signUp("asker@example.com")
        func change(to target: Target) async throws -> String? {
            try await server.call("update", ["idToken": .string(asker.idToken), "email": .string(target.rawValue)])
                .errorMessage
        }
        #expect(try await change(to: .held) == "EMAIL_EXISTS")
        let refusals = [try await change(to: .held), try await change(to: .free)]
        #expect(refusals[0]?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(refusals[0] == refusals[1])
    }

    private func stranger(_ server: TestServer, _ name: String, _ target: Target, _ more: JSONValue) async throws
        -> TestClient.Answer
    {
        let token = try server.oidcToken(name, TestServer.email(target.rawValue, verified: false))
        return try await server.signIn("oidc.test", token, more)
    }

    @Test(
        "is told to a provider's user with an unproven address only so often, and never whose it is (ENU-07)",
        arguments: Engine.allCases,
        [true, false]
    )
    func providers(engine: Engine, autoCreate: Bool) async throws {
        // The accounts of the scene are counted, too.
        let (server, _) = try await start(["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "6"], on: engine)
        func signIn(_ target: Target, as name: String = "stranger", _ more: JSONValue = [:]) async throws -> TestClient.Answer {
            try await stranger(server, name, target, more.merging(["autoCreate": .bool(autoCreate)]))
        }
        for target in [Target.held, .proven] {
            let answer = try await signIn(target)
            #expect(answer["needConfirmation"] == true && answer["localId"] == nil, "\(answer.json)")
        }
        let anonymous = try server.session(try await server.call("signUp", [:]))
        #expect(try await signIn(.proven, anonymous.token).errorMessage == "EMAIL_EXISTS")
        let free = try await signIn(.free)
        #expect(autoCreate ? free["isNewUser"] == true : free.errorMessage == "USER_NOT_FOUND", "\(free.json)")
        var refusals: Set<String?> = []
        let unknown = try server.oidcToken("other", TestServer.email("unknown@example.com", verified: false))
        for target in Target.allCases { refusals.insert(try await signIn(target, as: "other").errorMessage) }
        refusals.insert(try await server.signIn("oidc.test", unknown, ["autoCreate": .bool(autoCreate)]).errorMessage)
        for target in Target.allCases { refusals.insert(try await signIn(target, as: "other", anonymous.token).errorMessage) }
        refusals.insert(try await server.signIn("oidc.test", unknown, anonymous.token).errorMessage)
        #expect(refusals == ["TOO_MANY_ATTEMPTS_TRY_LATER : Too many sign-ups. Please try again later."])
        // A known user learns nothing by signing in, whatever address the provider has by now, and is not held up.
        if autoCreate {
            let known = try await signIn(.proven)
            #expect(known.status == 200 && known["isNewUser"] != true, "\(known.json)")
        }
        // Whoever proves an address learns nothing about another's, and is not held up.
        let owner = try server.oidcToken("owner", TestServer.email(Target.held.rawValue))
        #expect(try await server.signIn("oidc.test", owner).status == 200)
    }

    @Test("is told only so often where sign-ups are switched off, too (ENU-07)")
    func disabledSignUps() async throws {
        let (server, _) = try await start(["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "4"])
        let off: JSONValue = ["client": ["permissions": ["disabledUserSignup": true]]]
        let path = "/config?updateMask=client.permissions.disabledUserSignup"
        #expect(try await server.admin("PATCH", path, off).status == 200)
        #expect(try await stranger(server, "one", .free, [:]).errorMessage == "ADMIN_ONLY_OPERATION")
        #expect(try await stranger(server, "one", .held, [:])["needConfirmation"] == true)
        let refusals = [try await stranger(server, "one", .free, [:]), try await stranger(server, "one", .held, [:])]
        #expect(refusals.allSatisfy { $0.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true })
    }

    @Test("costs nothing where the answer does not depend on it: one's own address, and addresses that many may have (ENU-07)")
    func uncounted() async throws {
        let (server, _) = try await start(["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "3"])
        let held = try server.session(try await server.signIn(Target.held.rawValue))
        for _ in 0..<2 {
            #expect(try await stranger(server, "owner", .held, held.token).status == 200)
            let unlink: JSONValue = ["idToken": .string(held.idToken), "deleteProvider": ["oidc.test"]]
            #expect(try await server.call("update", unlink).status == 200)
        }
        let many: JSONValue = ["signIn": ["allowDuplicateEmails": true]]
        #expect(try await server.admin("PATCH", "/config?updateMask=signIn.allowDuplicateEmails", many).status == 200)
        for name in ["one", "two", "three"] {
            #expect(try await stranger(server, name, .proven, [:])["isNewUser"] == true)
        }
    }

    @Test("names the account in development, as the emulator does")
    func emulated() async throws {
        let server = try await TestServer.start(mode: .development, project: TestServer.emailProject())
        let held = try await server.signUp(Target.held.rawValue)
        let token = try server.oidcToken("stranger", TestServer.email(Target.held.rawValue, verified: false))
        #expect(try await server.signIn("oidc.test", token)["localId"]?.string == held.localID)
    }
}
