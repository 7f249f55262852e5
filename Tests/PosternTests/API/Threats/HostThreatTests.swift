import Foundation
import Project
import TestKit
import Testing

@Suite("Hosts that come from outside (OOB-09)", .teardown, .timeLimit(.minutes(15)))
struct HostThreatTests {
    // Each was once authorized by a suffix of its text, or is another host to a browser than to a parser.
    private static let hostile = [
        "evil.example/.localhost", "evil.example/.app.example.com", "evil.example#.app.example.com",
        "evil.example?.app.example.com",
        "evil.example\\.app.example.com", "user@app.example.com", "evil.example:443/.app.example.com", "app.example.com:8443",
        "app.example.com.", ".app.example.com", "app.example.com@evil.example", "app.example.com/../..",
        "app.example.com%2f.evil.example",
        "ａpp.example.com", "www.app.example.com", "app.example.com.evil.example", "www.localhost", "evil.example",
        "app_example.com", "",
        "auth.example.com", "proj.web.app", "proj.firebaseapp.com", "chrome-extension://abc", "127.1", "app.example.com\n",
        "app.example.com\u{0}",
    ]
    private static let refusal = """
        INVALID_HOSTING_LINK_DOMAIN : The provided hosting link domain is not configured in Firebase Hosting or is not owned by the \
        current project. This cannot be a default hosting domain (web.app or firebaseapp.com).
        """

    private static func project(_ provider: FakeIDP) -> String {
        """
        config:
          signIn: {anonymous: {enabled: true}, email: {enabled: true}}
          authorizedDomains: [localhost, app.example.com, proj.web.app, proj.firebaseapp.com, "chrome-extension://abc"]
        """
    }

    private func start() async throws -> TestServer {
        let environment = ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]
        return try await TestServer.start(environment: environment, project: Self.project)
    }

    @Test("a link domain is one whole host that the project lists, or is refused in Firebase's words")
    func linkDomain() async throws {
        let server = try await start()
        _ = try await server.signUp("victim@example.com")
        for domain in Self.hostile where !domain.isEmpty {
            for isInApp in [true, false] {
                let body: JSONValue = [
                    "requestType": "PASSWORD_RESET", "email": "victim@example.com", "continueUrl": "https://app.example.com/",
                    "canHandleCodeInApp": .bool(isInApp), "linkDomain": .string(domain),
                ]
                let refused = try await server.call("sendOobCode", body).errorMessage
                #expect(refused == Self.refusal || domain.utf8.contains(0) && refused != nil, "\(domain)")
                let asked = try await server.callAsAdmin("sendOobCode", body.merging(["returnOobLink": true]))
                #expect(asked["oobLink"] == nil && asked.status == 400, "\(domain)")
            }
        }
        let good: JSONValue = [
            "email": "victim@example.com", "continueUrl": "https://app.example.com/", "canHandleCodeInApp": true,
            "linkDomain": "App.Example.com",
        ]
        #expect(try await server.link("PASSWORD_RESET", good).hasPrefix("https://app.example.com/__/auth/links?link="))
    }

    @Test("localhost does not authorize www.localhost, and no trick of spelling authorizes a continue URL")
    func continueURL() async throws {
        let server = try await start()
        _ = try await server.signUp("victim@example.com")
        func send(_ address: String) async throws -> String? {
            let body: JSONValue = [
                "requestType": "PASSWORD_RESET", "email": "victim@example.com", "continueUrl": .string(address),
                "returnOobLink": true,
            ]
            return try await server.callAsAdmin("sendOobCode", body).errorMessage
        }
        for host in ["localhost", "localhost:5173", "app.example.com", "WWW.app.example.com:1", "auth.example.com"] {
            #expect(try await send("https://\(host)/path?query=\u{fc}") == nil, "\(host)")
        }
        for host in ["www.localhost", "evil.example", "a.auth.example.com", "app.example.com.evil.example"] {
            #expect(try await send("https://\(host)/x") == "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project", "\(host)")
        }
        let fine = ["app.example.com:8443", "www.app.example.com", "app.example.com/../..", "auth.example.com"]
        let listed = ["proj.web.app", "proj.firebaseapp.com"]
        for host in Self.hostile where !(fine + listed).contains(host) {
            let answer = try await send("https://\(host)")
            #expect(answer != nil, "\(host)")
        }
    }

    @Test("authorized domains are hosts, by the API and in the project file")
    func authorizedDomains() async throws {
        let server = try await start()
        for domain in [
            "a_b.example", "a.example.", "bücher.example", "127.1", "a.example/b", "u@a.example", "[::1]", "-a.example",
        ] {
            let answer = try await server.admin(
                "PATCH",
                "/config?updateMask=authorizedDomains",
                ["authorizedDomains": [.string(domain)]]
            )
            #expect(answer.errorMessage?.hasPrefix("INVALID_CONFIG : \(domain) is no domain") == true, "\(domain)")
        }
    }

    @Test("a page of the project's own must have a valid host")
    func callbackURI() async throws {
        let server = try await start()
        for address in [
            "https://a_b.example/x", "https://u@a.example/x", "https://a.example./x", "https://127.1/x",
            "https://%61.example/",
        ] {
            let answer = try await server.admin(
                "PATCH",
                "/config?updateMask=notification.sendEmail.callbackUri",
                ["notification": ["sendEmail": ["callbackUri": .string(address)]]]
            )
            #expect(answer.status == 400, "\(address)")
        }
    }

    @Test("a host of the request that is authorized by the end of its text only is not believed")
    func hostHeader() async throws {
        let server = try await start()
        for host in [
            "evil.example", "www.localhost", "evil.example/.app.example.com", "app.example.com@evil.example",
            "app.example.com:0",
        ] {
            let answer = try await server.client.get("/__/firebase/init.json", headers: [("Host", host)])
            #expect(answer.status != 200 || answer["authDomain"] == "auth.example.com", "\(host)")
        }
        let own = try await server.client.get("/__/firebase/init.json", headers: [("Host", "APP.example.com:8443")])
        #expect(own["authDomain"] == "app.example.com:8443")
    }

    // Texts in URLs must come from a parser. This test knows every place that writes a URL.
    @Test("no URL is pasted together of texts, and no host is judged by the end of its text")
    func sources() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../../Sources").standardized
        let allowed = [
            // Values of the types HostName, Authority and WebAddress.
            "app.linkDomain.map { \"https://\\($0)\" }", "signIn.ownHost.map { [\"http://\\($0):*\"] }",
            "[\"http://\\(host):*\"]",
            "\"\\(scheme)://\\(base.authority)\"", "\"\\(scheme)://\\(asked)\"",
            "\"\\(isSecure ? \"https\" : \"http\")://\\(Authority(",
            ".map { \"\\(scheme)://\\($0)\" }",
            // Hosts that were parsed.
            "\"\\(scheme)://\\($0)\\(HandlerDelivery.path)\"",
            // Values of the operator's settings.
            "\"\\(isSecure ? \"https\" : \"http\")://\\(Self.bracketed(host))", "\"https://\\(rest)\"",
            "\"\\(scheme)://\\(authority):\\(port)/\\(clientName)\"",
            // A place in messages, which nothing calls.
            "\"s3://\\(bucket)\"",
            // A text that is read back at once, for its ASCII form.
            "URLComponents(string: \"https://\\(parts[1])/\")?.encodedHost",
            // The scheme of an app, which is checked when it is read.
            "\"\\(scheme)://\\(host)/link?deep_link_id=", "\"\\(package)://google/link?deep_link_id=",
        ]
        var count = 0
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                if code.contains("://\\(") {
                    count += 1
                    #expect(allowed.contains { code.contains($0) }, "\(file.lastPathComponent): \(code)")
                }
                #expect(!code.contains("hasSuffix(\".\""), "\(file.lastPathComponent): \(code)")
            }
        }
        #expect(count >= 8)
    }
}
