import Storage
import TestKit
import Testing

@Suite("TLS to PostgreSQL", .timeLimit(.minutes(15)))
struct PostgreSQLTLSTests {
    private static let password = "correct-horse-battery"

    private func uri(
        _ place: ThrowawayPostgreSQL.TLSPlace,
        user: String = "scram:\(password)",
        host: String = "db.example.test",
        _ options: String
    ) -> String {
        "postgresql://\(user)@\(host)/postgres?hostaddr=\(place.address)&\(options)"
    }

    /// How a connection came about; the reason when it did not.
    private func connect(_ uri: String) async throws -> String {
        let database = try PostgreSQLDatabase(uri: uri, limits: .init(connections: 1, patience: .seconds(600)), logger: quiet)
        let outcome: String
        do {
            outcome = try await database.read { transaction in
                let row = try transaction.queryOne("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                return try row?.textIfPresent("version") ?? "plain"
            }
        } catch StorageError.unavailable(let reason) {
            outcome = reason
        }
        try await database.close()
        #expect(!outcome.contains(Self.password))
        return outcome
    }

    private func server() async throws -> ThrowawayPostgreSQL {
        let server = try await ThrowawayPostgreSQL.own()
        try await server.execute("CREATE ROLE scram LOGIN PASSWORD '\(Self.password)'")
        try await server.execute("CREATE ROLE certified LOGIN")
        return server
    }

    @Test("verify-full with a private authority takes its certificate for the right name, and no other")
    func names() async throws {
        let server = try await server()
        let place = try await server.listen(with: .valid)
        let verified = "sslmode=verify-full&sslrootcert=\(place.directory)/ca.crt"
        #expect(try await connect(uri(place, verified)).hasPrefix("TLS"))
        #expect(try await connect(uri(place, verified + "&sslcrl=\(place.directory)/crl.pem")).hasPrefix("TLS"))
        #expect(try await connect(uri(place, host: "db2.example.test", verified)).contains("does not match host name"))
        let other = "sslmode=verify-full&sslrootcert=\(place.directory)/other.crt"
        #expect(try await connect(uri(place, other)).contains("certificate verify failed"))
        #expect(try await connect(uri(place, "sslmode=disable")).contains("no encryption"))
    }

    @Test("verify-full refuses a certificate that has expired, and one that a list of revoked ones names")
    func dead() async throws {
        let server = try await server()
        var place = try await server.listen(with: .expired)
        let verified = "sslmode=verify-full&sslrootcert=\(place.directory)/ca.crt"
        #expect(try await connect(uri(place, verified)).contains("certificate verify failed"))
        place = try await server.listen(with: .revoked)
        let listed = verified + "&sslcrl=\(place.directory)/crl.pem"
        #expect(try await connect(uri(place, listed)).contains("certificate verify failed"))
        // Nobody knows without the list.
        #expect(try await connect(uri(place, verified)).hasPrefix("TLS"))
    }

    @Test("a client certificate stands for a password, and passwords are proved by SCRAM bound to the connection")
    func clients() async throws {
        let server = try await server()
        let place = try await server.listen(with: .valid)
        let verified = "sslmode=verify-full&sslrootcert=\(place.directory)/ca.crt"
        func pair(_ name: String) -> String {
            verified + "&sslcert=\(place.directory)/\(name).crt&sslkey=\(place.directory)/\(name).key"
        }
        #expect(try await connect(uri(place, user: "certified", pair("client"))).hasPrefix("TLS"))
        for refused in [pair("namesake"), pair("stranger"), verified] {
            let outcome = try await connect(uri(place, user: "certified", refused))
            #expect(!outcome.hasPrefix("TLS") && outcome != "plain", "\(outcome)")
        }
        #expect(try await connect(uri(place, verified + "&channel_binding=require")).hasPrefix("TLS"))
        #expect(try await connect(uri(place, user: "scram:wrong-horse", verified)).contains("authentication failed"))
    }
}
