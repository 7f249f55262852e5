import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("An import that meets accounts again", .teardown, .timeLimit(.minutes(15)))
struct OverwritingImportTests {
    private static let parameters: JSONValue = [
        "hashAlgorithm": "SCRYPT",
        "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
        "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
    ]

    private static var row: ImportedAccount {
        var row = ImportedAccount()
        (row.localID, row.email, row.emailVerified, row.displayName) = ("ada", "ada@b.c", true, "Ada")
        row.passwordHash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
        row.salt = "42xEC+ixf3L2lw=="
        row.createdAt = Timestamp(seconds: 1000)
        row.customAttributes = #"{"role":"clerk"}"#
        return row
    }

    private func run(
        _ row: ImportedAccount,
        _ server: TestServer,
        _ overwriting: AccountImport.Overwriting = .changed,
        isDryRun: Bool = false
    ) async throws -> AccountImport.Outcome {
        var request = AccountImport.Request()
        request.accounts = [row]
        request.hashParameters = Self.parameters
        request.overwriting = overwriting
        request.passesOverIdentical = true
        request.isDryRun = isDryRun
        let outcome = try await server.core.useCases.operators.accountImport.importAccounts(
            request,
            context: .commandLine(projectID: "demo-test", tenant: nil)
        )
        // The next import is another moment.
        server.clock.advance(by: .seconds(60))
        return outcome
    }

    private func start(on engine: Engine) async throws -> TestServer {
        try await TestServer.start(project: TestServer.emailProject(), on: engine)
    }

    @Test(
        "logs nobody out who has moved: a rehashed password is no change, and the same rows are none",
        arguments: Engine.allCases
    )
    func moved(engine: Engine) async throws {
        let server = try await start(on: engine)
        #expect(try await run(Self.row, server).failures == [])
        let session = try server.session(try await server.signIn("ada@b.c", password: "user1password"))
        let again = try await run(Self.row, server)
        #expect(again.unchanged == [0] && again.kept == [] && again.failures == [])
        #expect(try await server.refresh(session.refreshToken).status == 200)
        #expect(try await server.signIn("ada@b.c", password: "user1password").status == 200)
        // Without being told to, it leaves accounts as they are.
        #expect(try await run(Self.row, server, .none).failures.count == 1)
    }

    @Test("takes what the file has changed, keeps what was changed here, and says so", arguments: Engine.allCases)
    func merged(engine: Engine) async throws {
        let server = try await start(on: engine)
        _ = try await run(Self.row, server)
        let session = try server.session(try await server.signIn("ada@b.c", password: "user1password"))
        let renamed = try await server.call("update", ["idToken": .string(session.idToken), "displayName": "Countess"])
        #expect(renamed.status == 200)
        var row = Self.row
        row.photoURL = "https://example.com/ada.png"
        row.customAttributes = #"{"role":"head"}"#
        let dry = try await run(row, server, isDryRun: true)
        #expect(dry.unchanged == [] && dry.kept.map(\.message) == ["displayName was changed here and is kept"])
        #expect(try await server.user("ada")?["photoUrl"] == nil)
        let outcome = try await run(row, server)
        #expect(outcome.unchanged == [] && outcome.failures == [])
        #expect(outcome.kept.map(\.message) == ["displayName was changed here and is kept"])
        let user = try #require(try await server.user("ada"))
        #expect(user["displayName"] == "Countess" && user["photoUrl"] == "https://example.com/ada.png")
        #expect(user["customAttributes"] == #"{"role":"head"}"#)
        // No way in has changed.
        #expect(try await server.refresh(session.refreshToken).status == 200)
        // What the file changes wins, also over what was changed here.
        row.displayName = "Lovelace"
        #expect(try await run(row, server).kept == [])
        #expect(try await server.user("ada")?["displayName"] == "Lovelace")
    }

    @Test(
        "a password that the file changed opens the account, the old one does not, and the sessions end",
        arguments: Engine.allCases
    )
    func ways(engine: Engine) async throws {
        let server = try await start(on: engine)
        _ = try await run(Self.row, server)
        let session = try server.session(try await server.signIn("ada@b.c", password: "user1password"))
        var row = Self.row
        (row.passwordHash, row.salt, row.rawPassword) = (nil, nil, "another-password")
        #expect(try await run(row, server).failures == [])
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.signIn("ada@b.c", password: "user1password").errorMessage == "INVALID_PASSWORD")
        let next = try server.session(try await server.signIn("ada@b.c", password: "another-password"))
        // A password that was changed here is the user's, and the file's is the old one.
        let changed = try await server.call("update", ["idToken": .string(next.idToken), "password": "user-password"])
        let own = try server.session(changed)
        #expect(try await run(row, server).kept.map(\.message) == ["passwordHash was changed here and is kept"])
        #expect(try await server.refresh(own.refreshToken).status == 200)
        #expect(try await server.signIn("ada@b.c", password: "user-password").status == 200)
    }

    @Test("a provider that was linked here stays, and one that the file leaves out goes", arguments: Engine.allCases)
    func providers(engine: Engine) async throws {
        let server = try await start(on: engine)
        var row = Self.row
        var google = ImportedAccount.Provider()
        (google.providerID, google.rawID) = ("google.com", "g-1")
        row.providers = [google]
        _ = try await run(row, server)
        let link: JSONValue = ["localId": "ada", "linkProviderUserInfo": ["providerId": "facebook.com", "rawId": "f-1"]]
        #expect(try await server.callAsAdmin("update", link).status == 200)
        row.providers = []
        #expect(try await run(row, server).kept.map(\.message) == ["providerUserInfo.facebook.com was changed here and is kept"])
        let linked = try await server.user("ada")?["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string }
        #expect(linked.map(Set.init) == ["facebook.com", "password"])
    }

    @Test(
        "an account that no import is known to have made keeps all it has, and replacing it whole replaces it",
        arguments: Engine.allCases
    )
    func unknown(engine: Engine) async throws {
        let server = try await start(on: engine)
        let session = try server.session(
            try await server.call("signUp", ["email": "own@b.c", "password": "secret-1", "displayName": "Own"])
        )
        var row = ImportedAccount()
        (row.localID, row.email, row.displayName) = (session.localID, "own@b.c", "File")
        let outcome = try await run(row, server)
        #expect(outcome.failures == [] && outcome.kept.count == 2, "\(outcome.kept)")
        #expect(try await server.user(session.localID)?["displayName"] == "Own")
        #expect(try await server.refresh(session.refreshToken).status == 200)
        // From then on it is known.
        row.displayName = "New"
        #expect(try await run(row, server).failures == [])
        #expect(try await server.user(session.localID)?["displayName"] == "New")
        #expect(try await run(row, server, .all).failures == [])
        #expect(try await server.user(session.localID)?["passwordHash"] == nil)
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
    }

    @Test("another master key makes nothing look changed", arguments: Engine.allCases)
    func otherKey(engine: Engine) async throws {
        let server = try await start(on: engine)
        _ = try await run(Self.row, server)
        let session = try server.session(try await server.signIn("ada@b.c", password: "user1password"))
        try await server.core.database.write { _ = try $0.execute("UPDATE import_digests SET key_check = 'of another key'") }
        #expect(try await run(Self.row, server).failures == [])
        #expect(try await server.refresh(session.refreshToken).status == 200)
    }

    @Test("a number that a numbering plan has outlived comes with its account, and stays there", arguments: Engine.allCases)
    func outlived(engine: Engine) async throws {
        let server = try await start(on: engine)
        for (index, number) in ["+22507070707", "+22997123456", "+5215512345678"].enumerated() {
            var row = ImportedAccount()
            (row.localID, row.phoneNumber) = ("u\(index)", number)
            let failures = try await run(row, server, .none).failures
            #expect(failures == [], "\(number)")
            #expect(try await server.user("u\(index)")?["phoneNumber"] == .string(number))
            let same: JSONValue = ["localId": .string("u\(index)"), "phoneNumber": .string(number), "displayName": "A"]
            #expect(try await server.callAsAdmin("update", same).status == 200)
            let new: JSONValue = ["localId": "new", "phoneNumber": .string(number)]
            #expect(try await server.callAsAdmin("signUp", new).errorMessage?.hasPrefix("INVALID_PHONE_NUMBER") == true)
        }
        var row = ImportedAccount()
        (row.localID, row.phoneNumber) = ("bad", "+12")
        #expect(try await run(row, server, .none).failures.map(\.message) == ["phone number format is invalid"])
    }
}
