import Foundation
import Project
import TestKit
import Testing

@Suite("Links into apps, as the SDKs read them", .teardown, .timeLimit(.minutes(15)))
struct AppLinkTests {
    private static let page = "https://auth.example.com/__/auth/action"
    private static let continueURL = "https://app.example.com/done?x=1&mode=none&oobCode=none#y=2"

    private func start(_ project: String = "") async throws -> TestServer {
        let environment = ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]
        return try await TestServer.start(environment: environment, project: TestServer.emailProject(project))
    }

    // `AuthWebUtils.parseURL` of firebase-ios-sdk 12 splits the decoded query at each `&` and each pair at its first `=`. It
    // decodes both halves once more, and the last pair of a name wins. `ActionCodeURL` also splits at the second `=`.
    private static func iOSQuery(_ link: String, cutsAtEach: Bool = false) -> [String: String] {
        guard let query = URLComponents(string: link)?.query else { return [:] }
        var items: [String: String] = [:]
        for pair in query.components(separatedBy: "&") {
            let parts = pair.split(separator: "=", maxSplits: cutsAtEach ? Int.max : 1, omittingEmptySubsequences: cutsAtEach)
            guard parts.count > 1, let name = parts[0].removingPercentEncoding, let value = parts[1].removingPercentEncoding
            else {
                continue
            }
            items[name] = value
        }
        return items
    }

    // `ActionCodeURL.parseLink` of firebase-js-sdk 12.
    private static func webQuery(_ link: String) -> [String: String] {
        func query(_ url: String) -> [String: String] {
            guard let mark = url.firstIndex(of: "?") else { return [:] }
            var items: [String: String] = [:]
            for pair in url[url.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
                let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count > 1, let name = parts[0].removingPercentEncoding else { continue }
                items[name] = parts[1].removingPercentEncoding
            }
            return items
        }
        let outer = query(link)
        let inner = outer["link"].flatMap { query($0)["deep_link_id"] ?? $0 }
        return query(outer["deep_link_id"].flatMap { query($0)["link"] ?? $0 } ?? inner ?? link)
    }

    @Test(
        "the iOS SDK recognises a wrapped link to sign in, and finds everything else in the links of every type",
        arguments: [
            ("EMAIL_SIGNIN", "signIn"), ("PASSWORD_RESET", "resetPassword"), ("VERIFY_EMAIL", "verifyEmail"),
            ("VERIFY_AND_CHANGE_EMAIL", "verifyAndChangeEmail"),
        ]
    )
    func wrapped(type: String, mode: String) async throws {
        let own = "notification: {sendEmail: {callbackUri: \"https://pages.example.com/code?from=mail\"}}"
        for (project, page) in [("", Self.page + "?"), (own, "https://pages.example.com/code?from=mail&")] {
            let server = try await start(project)
            let user = try await server.signUp("ada@example.com")
            for (app, outer) in [
                (["iOSBundleId": "com.example.app"], "https://auth.example.com"),
                (["androidPackageName": "com.example.app", "linkDomain": "app.example.com"], "https://app.example.com"),
            ] as [(JSONValue, String)] {
                let body: JSONValue = [
                    "requestType": .string(type), "email": "ada@example.com", "newEmail": "new@example.com",
                    "idToken": .string(user.idToken), "continueUrl": "https://app.example.com/done?x=1",
                    "canHandleCodeInApp": true, "returnOobLink": true,
                ]
                let answer = try await server.callAsAdmin("sendOobCode", body.merging(app))
                let link = try #require(answer["oobLink"]?.string, "\(answer.errorMessage ?? "")")
                let code = try #require(answer["oobCode"]?.string)
                let inner =
                    "\(page)apiKey=\(TestServer.apiKey)&mode=\(mode)&oobCode=\(code)"
                    + "&continueUrl=https%3A%2F%2Fapp.example.com%2Fdone%3Fx%3D1&lang=en"
                #expect(link == "\(outer)/__/auth/links?link=\(PercentEncoding.encode(inner))")
                for cutsAtEach in [false, true] {
                    let seen = Self.iOSQuery(link, cutsAtEach: cutsAtEach)
                    #expect(seen["mode"] == mode && seen["oobCode"] == code && seen["lang"] == "en", "\(link)")
                }
                #expect(Self.iOSQuery(link)["continueUrl"] == "https://app.example.com/done?x=1")
                let web = Self.webQuery(link)
                #expect(web["apiKey"] == TestServer.apiKey && web["mode"] == mode && web["oobCode"] == code)
                #expect(web["continueUrl"] == "https://app.example.com/done?x=1" && web["lang"] == "en")
            }
        }
    }

    @Test("a link that is not wrapped has the same order, whatever the address that it leads on to holds")
    func plain() async throws {
        let server = try await start()
        _ = try await server.signUp("ada@example.com")
        let link = try await server.link("EMAIL_SIGNIN", ["email": "ada@example.com", "continueUrl": .string(Self.continueURL)])
        let names = FormEncoding.pairs(link.split(separator: "?", maxSplits: 1)[1].utf8).map(\.name)
        #expect(names == ["apiKey", "mode", "oobCode", "continueUrl", "lang"])
        #expect(link.hasPrefix(Self.page + "?apiKey="))
        let web = Self.webQuery(link)
        #expect(web["mode"] == "signIn" && web["continueUrl"] == Self.continueURL)
    }

    @Test("development has the emulator's order")
    func development() async throws {
        let server = try await TestServer.startEmulator()
        let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": "http://localhost/x"]
        #expect(try await server.call("sendOobCode", body).status == 200)
        let listed = try await server.client.get("/emulator/v1/projects/demo-test/oobCodes")["oobCodes"]?[0]
        let link = try #require(listed?["oobLink"]?.string)
        let names = FormEncoding.pairs(link.split(separator: "?", maxSplits: 1)[1].utf8).map(\.name)
        #expect(names == ["mode", "lang", "oobCode", "apiKey", "continueUrl"])
    }
}
