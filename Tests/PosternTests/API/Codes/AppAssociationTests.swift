import Project
import TestKit
import Testing

@Suite("The documents that let apps open links", .teardown, .timeLimit(.minutes(15)))
struct AppAssociationTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let certificate = Array(repeating: "AB", count: 31).joined(separator: ":")

    private func start(_ environment: [String: String]) async throws -> TestServer {
        let project: @Sendable (FakeIDP) -> String = { _ in
            """
            config: {signIn: {email: {enabled: true, passwordRequired: false}}, authorizedDomains: [app.example.com]}
            defaultSupportedIdpConfigs:
              apple.com: {enabled: true, clientId: com.example.web, appleSignInConfig: {bundleIds: [com.example.two]}}
            """
        }
        let variables = environment.merging(["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]) { $1 }
        return try await TestServer.start(environment: variables, project: project)
    }

    @Test("name the configured apps, and claim the page of links in e-mails alone")
    func documents() async throws {
        let environment = [
            "POSTERN_APP_LINKS_APPLE_TEAM_ID": "ABCDE12345",
            "POSTERN_APP_LINKS_APPLE_BUNDLE_IDS": "com.example.app,com.example.beta",
            "POSTERN_APP_LINKS_ANDROID_APPS":
                "com.example.app=\(Self.certificate):01,com.example.other=\(Self.certificate):02,com.example.app=\(Self.certificate):0f",
        ]
        let server = try await start(environment)
        let claimed: JSONValue = [["/": "/__/auth/links"]]
        let apple = try await server.client.get(Self.apple)
        let ids: JSONValue = ["ABCDE12345.com.example.app", "ABCDE12345.com.example.beta"]
        #expect(apple.json == ["applinks": ["details": [["appIDs": ids, "components": claimed]]]])
        let android = try await server.client.get(Self.android)
        let statements = android.json.array ?? []
        let targets = [("com.example.app", ["01", "0F"]), ("com.example.other", ["02"])]
        #expect(statements.count == targets.count)
        for (statement, (package, ends)) in zip(statements, targets) {
            let prints = JSONValue.array(ends.map { .string("\(Self.certificate):\($0)") })
            #expect(statement["relation"] == ["delegate_permission/common.handle_all_urls"])
            let target: JSONValue = [
                "namespace": "android_app", "package_name": .string(package), "sha256_cert_fingerprints": prints,
            ]
            #expect(statement["target"] == target)
            let extensions = statement["relation_extensions"]?["delegate_permission/common.handle_all_urls"]
            #expect(extensions == ["dynamic_app_link_components": claimed])
        }
        for answer in [apple, android] {
            #expect(answer.header("Content-Type")?.hasPrefix("application/json") == true)
            #expect(answer.header("Cache-Control") == "public, max-age=3600")
        }
        // A link for an app leads to the claimed page.
        let body: JSONValue = [
            "requestType": "EMAIL_SIGNIN", "email": "a@b.c", "continueUrl": "https://app.example.com/", "returnOobLink": true,
            "canHandleCodeInApp": true, "iOSBundleId": "com.example.app",
        ]
        let link = try await server.callAsAdmin("sendOobCode", body)["oobLink"]?.string
        #expect(link?.hasPrefix("https://auth.example.com/__/auth/links?link=") == true)
    }

    @Test("take the bundle ids of Sign in with Apple where none are set, and are missing where there is no app")
    func defaults() async throws {
        do {
            let server = try await start(["POSTERN_APP_LINKS_APPLE_TEAM_ID": "ABCDE12345"])
            let apple = try await server.client.get(Self.apple)
            #expect(apple["applinks"]?["details"]?[0]?["appIDs"] == ["ABCDE12345.com.example.two"])
            #expect(try await server.client.get(Self.android).status == 404)
        }
        let server = try await start([:])
        for path in [Self.apple, Self.android] {
            let answer = try await server.client.get(path)
            #expect(answer.status == 404, "\(path)")
        }
    }
}
