import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Texts of a profile are bounded, whoever writes them", .teardown, .timeLimit(.minutes(15)))
struct ProfileBoundsTests {
    private static let bounds = [("displayName", "name", 256), ("photoUrl", "photo", 2048)]

    private static func text(_ length: Int) -> String { String(repeating: "é", count: length) }

    @Test("an operator at the console")
    func console() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let support = try await ConsoleClient.enroll(server, role: .support)
        _ = try await support.get("/console/users/new")
        for fields in [
            [("email", "a@example.com"), ("name", Self.text(257))], [("id", String(repeating: "i", count: 129))],
            [("id", Self.text(5000))],
            [("email", "a@example.com"), ("name", "a" + String(repeating: "\u{301}", count: 5000))],
            [("email", "a@example.com"), ("name", String(repeating: "N", count: 240_000))],
        ] {
            #expect(try await support.post("/console/users/new", fields).status == 400)
        }
        #expect(try await server.list()["users"] == [])
        let full = [("id", String(repeating: "i", count: 128)), ("name", Self.text(256))]
        #expect(try await support.post("/console/users/new", full).status == 303)
        #expect(try await server.admin("accounts", ["localId": "u", "displayName": "Ada"]).status == 200)
        _ = try await support.get("/console/users/u")
        for (_, field, length) in Self.bounds {
            let change = [("do", "profile"), (field, Self.text(length + 1))]
            #expect(try await support.post("/console/users/u", change).status == 400, "\(field)")
            let fitting = [("do", "profile"), (field, Self.text(length))]
            #expect(try await support.post("/console/users/u", fitting).status == 303, "\(field)")
        }
    }

    @Test("a row of any kind of file", arguments: [ServerMode.production, .development])
    func files(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode, environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/imports")
        func told(_ format: String, _ file: JSONValue) async throws -> String {
            let fields = [("format", format), ("users", file.string ?? file.text), ("dryRun", "on")]
            return try await owner.post("/console/imports", fields).html
        }
        for (length, isRefused) in [(256, false), (257, mode == .production)] {
            let name = Self.text(length)
            let cells = (0..<53).map { $0 == 0 ? "c" : $0 == 5 ? name : "" }.joined(separator: ",")
            let files: [(String, JSONValue)] = [
                ("json", ["users": [["localId": "j", "displayName": .string(name)]]]),
                ("json", ["users": [["localId": "j", "screenName": .string(name)]]]), ("csv", .string(cells)),
                ("keycloak", ["users": [["id": "k", "firstName": .string(name)]]]),
                ("auth0", [["user_id": "auth0|a", "name": .string(name)]]),
                ("supabase", [["id": "s", "raw_user_meta_data": ["full_name": .string(name)]]]),
                (
                    "supabase",
                    [
                        [
                            "id": "s",
                            "identities": [["provider": "google", "identity_data": ["sub": "1", "name": .string(name)]]],
                        ]
                    ]
                ),
            ]
            for (number, (format, file)) in files.enumerated() {
                let page = try await told(format, file)
                #expect(page.contains("is too long") == isRefused, "\(format) \(number) \(length)")
                #expect(page.contains("1 rejected") == isRefused, "\(format) \(number) \(length)")
            }
        }
    }

    @Test("a use case, for callers other than endpoints and screens", arguments: Engine.allCases)
    func useCases(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let useCases = server.core.useCases
        let context = CallContext.commandLine(projectID: "demo-test", tenant: nil)
        let early = Timestamp(milliseconds: .min)
        for edit in [
            { $0.localID = Self.text(129) }, { $0.localID = "a\u{0}" }, { $0.displayName = Self.text(257) },
            { $0.photoURL = Self.text(2049) }, { $0.displayName = "a\u{0}" },
            { $0.enrollments = [AdminEnrollment(displayName: Self.text(257), phoneInfo: "+15555550100")] },
            { $0.enrollments = [AdminEnrollment(phoneInfo: "+15555550100", enrolledAt: early)] },
        ] as [(inout AccountCreation.Request) -> Void] {
            var request = AccountCreation.Request()
            edit(&request)
            let create = { [request] in _ = try await useCases.operators.creation.create(request, context: context) }
            await #expect(throws: InvalidArgument.self) { try await create() }
        }
        #expect(try await server.admin("accounts", ["localId": "u"]).status == 200)
        for edit in [
            { $0.displayName = Self.text(257) }, { $0.photoURL = Self.text(2049) }, { $0.displayName = "a\u{0}" },
            { $0.validSince = .seconds(.max) }, { $0.validSince = .seconds(.min) },
            { $0.admin = AdminChanges(createdAt: early) }, { $0.admin = AdminChanges(lastLoginAt: early) },
        ] as [(inout AccountUpdate.Changes) -> Void] {
            var changes = AccountUpdate.Changes()
            edit(&changes)
            let update = { [changes] in
                _ = try await useCases.accounts.update.apply(changes, of: .localID("u", context.scope), context: context)
            }
            await #expect(throws: InvalidArgument.self) { try await update() }
        }
    }
}

extension AdminChanges {
    fileprivate init(createdAt: Timestamp? = nil, lastLoginAt: Timestamp? = nil) {
        self.init()
        self.createdAt = createdAt
        self.lastLoginAt = lastLoginAt
    }
}
