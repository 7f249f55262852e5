import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// Transactions of one account that change the same rows in different orders wait for each other, until PostgreSQL ends one of them.
@Suite("The order in which transactions change rows", .teardown, .timeLimit(.minutes(15)))
struct LockOrderTests {
    /// The tables in the order in which a transaction may change rows that were there before.
    private static let order = ["oob_codes", "sessions", "accounts"]

    // Each change of a row leaves a line with its transaction. PostgreSQL numbers the lines.
    private static let watching: [SQL] =
        [
            "CREATE TABLE changed_rows (n BIGSERIAL PRIMARY KEY, tx BIGINT NOT NULL, place TEXT NOT NULL)",
            """
            CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO changed_rows (tx, place) VALUES (txid_current(), TG_TABLE_NAME); RETURN NULL; END'
            """,
        ]
        + order.map { table in
            """
            CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON \(raw: table)
            FOR EACH ROW EXECUTE FUNCTION note_change()
            """
        }

    /// The tables that each transaction changed, each once, in the order of the first change.
    private func changes(_ server: TestServer) async throws -> [[String]] {
        let rows = try await server.core.database.read { try $0.query("SELECT tx, place FROM changed_rows ORDER BY n") }
        var places: [Int64: [String]] = [:]
        for row in rows {
            let (transaction, place) = (try row.integer("tx"), try row.text("place"))
            if places[transaction]?.contains(place) != true { places[transaction, default: []].append(place) }
        }
        return Array(places.values)
    }

    @Test("codes come first, then sessions, then the account, whatever changes them")
    func order() async throws {
        let server = try await TestServer.start(on: .postgreSQL)
        let enabled: JSONValue = [
            "signIn": ["email": ["enabled": true, "passwordRequired": false], "anonymous": ["enabled": true]],
            "mfa": ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]]],
        ]
        #expect(try await server.admin("PATCH", "/config?updateMask=signIn,mfa", enabled).status == 200)
        try await server.core.database.write { transaction in
            for statement in Self.watching { try transaction.execute(statement) }
        }
        for way in Way.allCases { try await way.go(server) }
        let changes = try await changes(server)
        for places in changes {
            let ranks = places.compactMap { Self.order.firstIndex(of: $0) }
            #expect(ranks == ranks.sorted(), "\(places)")
        }
        // The ways led to transactions that change rows of more than one table.
        let pairs = Set(changes.filter { $0.count > 1 })
        #expect(pairs.contains(Self.order) && pairs.contains(["oob_codes", "sessions"]), "\(pairs)")
        #expect(pairs.contains(["sessions", "accounts"]) && pairs.contains(["oob_codes", "accounts"]), "\(pairs)")
    }
}

extension LockOrderTests {
    /// What ends sessions or codes of an account.
    fileprivate enum Way: String, CaseIterable {
        case deletion, removal, newPassword, resetByAdministrator, reset, takeover, addedPassword, endedSession, endedSessions
        case disabling, movedAddress, newAddress, firstFactor

        private var email: String { "\(rawValue)@example.com" }

        private func code(_ server: TestServer, _ type: String, _ more: JSONValue = [:]) async throws -> JSONValue {
            .string(try await server.code(type, more.merging(["email": .string(email)])))
        }

        private func succeed(_ answer: TestClient.Answer) {
            #expect(answer.status == 200, "\(self): \(answer.errorMessage ?? "")")
        }

        func go(_ server: TestServer) async throws {
            if self == .addedPassword {
                let guest = try server.session(try await server.call("signUp", [:]))
                let body: JSONValue = ["email": .string(email), "password": "correct horse", "idToken": .string(guest.idToken)]
                return succeed(try await server.call("signUp", body))
            }
            let made: JSONValue = ["email": .string(email), "password": "correct horse", "displayName": "Ada"]
            let session = try server.session(try await server.call("signUp", made))
            let admin: JSONValue = ["localId": .string(session.localID)]
            _ = try await code(server, "PASSWORD_RESET")
            _ = try await code(server, "VERIFY_AND_CHANGE_EMAIL", ["newEmail": .string("new-" + email)])
            server.clock.advance(by: .seconds(1))
            let latest = try server.session(try await server.signIn(email, password: "correct horse"))
            succeed(try await server.refresh(latest.refreshToken))
            switch self {
            case .deletion: succeed(try await server.call("delete", session.token))
            case .removal: succeed(try await server.callAsAdmin("delete", admin))
            case .newPassword: succeed(try await server.call("update", session.token.merging(["password": "another horse"])))
            case .resetByAdministrator:
                succeed(try await server.callAsAdmin("update", admin.merging(["password": "another horse"])))
            case .reset:
                let used: JSONValue = ["oobCode": try await code(server, "PASSWORD_RESET"), "newPassword": "another horse"]
                succeed(try await server.call("resetPassword", used))
            case .takeover:
                let identity = try server.googleToken(email, TestServer.email(email))
                succeed(try await server.signIn("google.com", identity))
            case .endedSession:
                let context = CallContext(scope: Scope(projectID: "demo-test"), isPrivileged: true, adminScopes: .all)
                let sessions = try await server.core.database.read {
                    try $0.liveSessions(context.scope, localID: session.localID)
                }
                let ending = server.core.useCases.operators.sessionEnding
                let id = try #require(sessions.first).sessionID
                #expect(try await ending.end(id, of: session.localID, context: context))
                // It has ended, and nothing ends with it twice.
                #expect(try await !ending.end(id, of: session.localID, context: context))
            case .endedSessions:
                let now = "\(server.clock.now.seconds)"
                succeed(try await server.callAsAdmin("update", admin.merging(["validSince": .string(now)])))
            case .disabling: succeed(try await server.callAsAdmin("update", admin.merging(["disableUser": true])))
            case .movedAddress:
                succeed(try await server.callAsAdmin("update", admin.merging(["email": .string("moved-" + email)])))
            case .newAddress:
                let moving: JSONValue = ["newEmail": .string("newer-" + email)]
                succeed(try await server.call("update", ["oobCode": try await code(server, "VERIFY_AND_CHANGE_EMAIL", moving)]))
            case .firstFactor:
                succeed(try await server.callAsAdmin("update", admin.merging(["emailVerified": true])))
                _ = try await server.enrollApp(latest)
            case .addedPassword: break
            }
        }
    }
}
