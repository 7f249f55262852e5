import Crypto
import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("The server as a process, under attack", .timeLimit(.minutes(15)))
struct HostileProcessTests {
    private func environment(_ directory: String) -> [String: String] {
        [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_ID": "p", "POSTERN_PROJECT_FILE": "",
            "POSTERN_SERVER_PUBLIC_URL": "", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            "POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "0",
        ]
    }

    @Test("logs none of the secrets that it was started with, at any level")
    func secretsOfTheSettings() async throws {
        try await withTemporaryDirectory { directory in
            let key = directory + "/apns.p8"
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let secrets = [
                "POSTERN_ADMIN_TOKEN", "POSTERN_EMAIL_SMTP_PASSWORD", "POSTERN_SMS_TWILIO_AUTH_TOKEN", "POSTERN_RECAPTCHA_SECRET",
                "POSTERN_WEBHOOKS_SECRET",
            ]
            var variables = environment(directory).merging([
                "POSTERN_LOG_LEVEL": "trace", "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_FROM": "a@example.com",
                "POSTERN_EMAIL_SMTP_URL": "smtps://mail.example.com:465", "POSTERN_EMAIL_SMTP_USERNAME": "me",
                "POSTERN_SMS_TRANSPORT": "twilio", "POSTERN_SMS_TWILIO_ACCOUNT_SID": "AC1",
                "POSTERN_SMS_TWILIO_FROM": "+15005550006", "POSTERN_RECAPTCHA_SITE_KEY": "site",
                "POSTERN_APNS_KEY_ID": "ABCDEFGHIJ", "POSTERN_APNS_TEAM_ID": "TEAM123456", "POSTERN_APNS_PRIVATE_KEY_FILE": key,
                "POSTERN_WEBHOOKS_URL": "https://hooks.example.com/x",
            ]) { $1 }
            for name in secrets { variables[name] = "hidden-\(name)-which-is-long-enough-for-all" }
            let process = try ServerProcess(["serve"], environment: variables, directory: directory)
            _ = try await process.waitUntilReady()
            #expect(await process.terminate() == 0)
            #expect(process.printed.contains(#""level":"trace""#))
            #expect(!process.printed.contains("hidden-"))
            #expect(!process.printed.contains(try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n")[1]))
            #expect(!process.printed.contains(try #require(variables["POSTERN_SECRETS_MASTER_KEY"])))
        }
    }

    @Test("holds no more connections than leave it file descriptors, and answers the private listener meanwhile")
    func connections() async throws {
        try await withTemporaryDirectory { directory in
            let process = try ServerProcess(
                ["-c", "ulimit -n 256 && exec \"$0\" serve", ServerProcess.path(of: "postern")],
                executable: "/bin/sh",
                environment: environment(directory),
                directory: directory
            )
            _ = try await process.waitUntilReady()
            let port = try #require(process.printed.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) })
            let privatePort = try await process.waitUntilPrinted(/private listener","port":"([0-9]+)"/)
            var held: [RawConnection] = []
            for _ in 0..<230 { held.append(try await RawConnection(port: port)) }
            let answer = try await TestClient("http://127.0.0.1:\(privatePort)").post("/v1/accounts:signUp?key=k", [:])
            // Anonymous sign-up is off, but the answer still needs the store.
            #expect(answer.errorMessage == "ADMIN_ONLY_OPERATION")
            for connection in held { await connection.close() }
            // On its own connection, because the client's may have been idle for too long.
            let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            #expect(try await RawConnection.answer(to: request, port: port).hasPrefix("HTTP/1.1 200 "))
            #expect(await process.terminate() == 0)
        }
    }

    @Test("names the setting that it cannot use, and ends with a code other than 0")
    func unusableSettings() async throws {
        try await withTemporaryDirectory { directory in
            let bad = directory + "/bad.pem"
            try "hush".write(toFile: bad, atomically: true, encoding: .utf8)
            let taken = try await TCPListener()
            let apns = ["POSTERN_APNS_KEY_ID": "K", "POSTERN_APNS_TEAM_ID": "T", "POSTERN_APNS_PRIVATE_KEY_FILE": bad]
            for (key, variables) in [
                ("outbound.caFile", ["POSTERN_OUTBOUND_CA_FILE": bad]), ("apns.privateKeyFile", apns),
                (
                    "server.tls.certificateFile",
                    ["POSTERN_SERVER_TLS_CERTIFICATE_FILE": bad, "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": bad]
                ),
                ("server.host and server.port", ["POSTERN_SERVER_PORT": String(taken.port)]),
                ("server.adminHost and server.adminPort", ["POSTERN_SERVER_ADMIN_PORT": String(taken.port)]),
            ] {
                let process = try ServerProcess(
                    ["serve"],
                    environment: environment(directory).merging(variables) { $1 },
                    directory: directory
                )
                let (code, text) = await process.waitForOutput()
                #expect(code != 0, "\(key)")
                #expect(text.contains("Error: \(key): "), "\(text)")
                #expect(!text.contains("hush"))
            }
            try await taken.close()
        }
    }

    @Test("leaves a quarter of the descriptors to everything else")
    func share() {
        #expect(ConnectionLimit.limit(descriptors: 1024) == 768)
        #expect(ConnectionLimit.limit(descriptors: 1 << 20) == 10_000)
    }
}
