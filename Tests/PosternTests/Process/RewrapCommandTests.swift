import Foundation
import Project
import TestKit
import Testing

@Suite("postern keys rewrap", .teardown, .timeLimit(.minutes(15)))
struct RewrapCommandTests {
    private static let (old, new) = (
        Data(repeating: 7, count: 32).base64EncodedString(), Data(repeating: 9, count: 32).base64EncodedString()
    )

    private func with(_ key: String, previous: String? = nil, _ place: CommandPlace) -> CommandPlace {
        var variables = place.variables
        variables["POSTERN_SECRETS_MASTER_KEY"] = key
        variables["POSTERN_SECRETS_PREVIOUS_MASTER_KEY"] = previous
        return CommandPlace(directory: place.directory, variables: variables)
    }

    @Test("the master key is replaced beside a running server, on either engine, and then the new one is enough")
    func replacement() async throws {
        try await replacement([:])
        try await ThrowawayPostgreSQL.shared().withDatabase { try await replacement(["POSTERN_DATABASE_URL": $0]) }
    }

    private func replacement(_ variables: [String: String]) async throws {
        let project = """
            config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}
            defaultSupportedIdpConfigs: {google.com: {enabled: true, clientId: c, clientSecret: secret}}
            """
        // As many sign-ups as come about while the command works.
        let variables = variables.merging(["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000000"]) { $1 }
        let place = try await CommandPlace.make(project: project, variables)
        var token: JSONValue = .null
        try await with(Self.old, place).serving { client async throws in
            token = try await client.post("/v1/accounts:signUp?key=k", [:])["idToken"] ?? .null
        }
        #expect(try await with(Self.old, place).run(["service-account", "create", "clerk", "--held"]).code == 0)
        // The project file would seal its secret under the new key at the next start.
        try place.write("config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}", to: "project.yaml")
        let missing = try await with(Self.old, place).run(["keys", "rewrap"])
        #expect(missing.code == 1 && missing.text.contains("secrets.previousMasterKey"), "\(missing.text)")
        let overlapping = with(Self.new, previous: Self.old, place)
        try await overlapping.serving { client async throws in
            let isOver = LockedState(false)
            let traffic = Task { [token] in
                var statuses: Set<Int> = []
                while !isOver.withLock({ $0 }) {
                    statuses.insert(try await client.post("/v1/accounts:signUp?key=k", [:]).status)
                    statuses.insert(try await client.post("/v1/accounts:lookup?key=k", ["idToken": token]).status)
                }
                return statuses
            }
            let columns = try await overlapping.json(["keys", "rewrap"])["columns"]?.array ?? []
            let renewed = columns.filter { $0["renewed"] != 0 }.map { $0["table"]?.string }
            #expect(renewed == ["signing_keys", "resources"])
            #expect(columns.allSatisfy { $0["unreadable"] == 0 })
            let again = try await overlapping.json(["keys", "rewrap"])["columns"]?.array ?? []
            #expect(again.count == columns.count && again.allSatisfy { $0["renewed"] == 0 })
            // A key that is made now is sealed under the new key.
            #expect(try await overlapping.run(["keys", "rotate"]).code == 0)
            isOver.withLock { $0 = true }
            #expect(try await traffic.value == [200])
            let events = try await overlapping.json(["audit", "--event", "masterKeyReplaced"])["events"]?.array ?? []
            #expect(events.count == 2 && events.allSatisfy { $0["actor"] == "cli" && $0["detail"]?["unreadable"] == 0 })
            #expect(events.contains { $0["detail"]?["renewed"] == 0 })
            #expect(events.contains { $0["detail"]?["renewed"]?.integer ?? 0 > 0 })
        }
        let alone = with(Self.new, place)
        try await alone.serving { client async throws in
            #expect(try await client.post("/v1/accounts:lookup?key=k", ["idToken": token]).status == 200)
        }
        // The registration is read, with its secret.
        let tried = try await alone.run(["providers", "test", "google.com"])
        #expect(tried.text.contains("redirect URI to register"), "\(tried.text)")
        let behind = try await with(Self.old, place).run(["keys", "list"])
        #expect(behind.code == 1 && behind.text.contains("secrets.previousMasterKey"), "\(behind.text)")
    }

    @Test("a previous key that is no key, and one in two places, stop the start")
    func settings() async throws {
        let place = try await CommandPlace.make(project: "config: {}")
        for previous in ["short", ""] {
            let (code, text) = try await with(Self.new, previous: previous, place).run(["config", "check"])
            #expect((code == 0) == previous.isEmpty, "\(text)")
        }
        var variables = place.variables
        variables["POSTERN_SECRETS_PREVIOUS_MASTER_KEY_FILE"] = "missing.key"
        let missing = try await CommandPlace(directory: place.directory, variables: variables).run(["config", "check"])
        #expect(missing.code == 1 && missing.text.contains("secrets.previousMasterKeyFile"), "\(missing.text)")
    }
}
