import Foundation
import Testing

@testable import PosternFirebase

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The running Postern that the script `test` names.
private struct Postern: Sendable {
    let url: URL
    let key: String
    let project: String
    let trust: String

    static let current: Postern? = {
        let environment = ProcessInfo.processInfo.environment
        guard
            let url = environment["POSTERN_TEST_URL"].flatMap({ URL(string: $0) }), let key = environment["POSTERN_TEST_API_KEY"],
            let project = environment["POSTERN_TEST_PROJECT_ID"], let trust = environment["POSTERN_TEST_TRUST"]
        else { return nil }
        return Postern(url: url, key: key, project: project, trust: trust)
    }()
}

extension ProcessTests {
    /// What the SDK sends, against Postern over TLS.
    @Suite(.serialized, .enabled(if: Postern.current?.trust == "yes", "The script `test` runs these."))
    struct ServerTests {
        private let postern: Postern

        init() throws {
            postern = try #require(Postern.current)
            try PosternFirebase.use(postern.url)
        }

        @Test("A sign-up for identitytoolkit.googleapis.com is made at Postern, and its token is Postern's") func signUp()
            async throws
        {
            let (status, answer) = try await post(
                "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
                ["returnSecureToken": true]
            )
            #expect(status == 200)
            let claims = try claims(of: #require(answer["idToken"] as? String))
            #expect(claims["aud"] as? String == postern.project)
            #expect(claims["sub"] as? String == answer["localId"] as? String)
        }

        @Test("Sign-up, sign-in and look-up by the names that the SDK uses at www.googleapis.com") func relyingParty()
            async throws
        {
            let base = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/"
            let email = "swift-\(UUID().uuidString.lowercased())@example.com"
            let account: [String: any Sendable] = [
                "email": email, "password": "correct horse battery", "returnSecureToken": true, "clientType": "CLIENT_TYPE_IOS",
            ]
            let (created, _) = try await post(base + "signupNewUser", account)
            #expect(created == 200)
            let (signedIn, answer) = try await post(base + "verifyPassword", account)
            #expect(signedIn == 200)
            let token = try #require(answer["idToken"] as? String)
            let (found, users) = try await post(base + "getAccountInfo", ["idToken": token])
            #expect(found == 200)
            #expect((users["users"] as? [[String: Any]])?.first?["email"] as? String == email)
        }

        @Test("A refresh token for securetoken.googleapis.com is exchanged at Postern") func refresh() async throws {
            let (_, user) = try await post(
                "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
                ["returnSecureToken": true]
            )
            let token = try #require(user["refreshToken"] as? String)
            // The SDK for iOS writes the names in this way, and sends JSON.
            let (status, answer) = try await post(
                "https://securetoken.googleapis.com/v1/token",
                ["grantType": "refresh_token", "refreshToken": token]
            )
            #expect(status == 200)
            let claims = try claims(of: #require(answer["id_token"] as? String))
            #expect(claims["sub"] as? String == user["localId"] as? String)
        }

        @Test("A body stream reaches Postern") func stream() async throws {
            var request = try request("https://identitytoolkit.googleapis.com/v1/accounts:signUp")
            request.httpBodyStream = InputStream(data: Data("{\"returnSecureToken\":true}".utf8))
            let (status, answer) = try await send(request)
            #expect(status == 200 && answer["idToken"] != nil)
        }

        @Test("A body of 60 kilobytes reaches Postern, and so does one that is too large for it") func large() async throws {
            let url = "https://identitytoolkit.googleapis.com/v1/accounts:signUp"
            let large = String(repeating: "x", count: 60_000)
            let (status, answer) = try await post(url, ["returnSecureToken": true, "clientInfo": large])
            #expect(status == 200 && answer["idToken"] != nil)
            let tooLarge = String(repeating: "x", count: 300_000)
            let (refusal, _) = try await post(url, ["returnSecureToken": true, "clientInfo": tooLarge])
            #expect(refusal == 413)
        }

        @Test("Postern's errors come back with status and message") func error() async throws {
            let (status, answer) = try await post(
                "https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword",
                ["email": "nobody@example.com", "password": "wrong password", "returnSecureToken": true]
            )
            #expect(status == 400)
            let message = (answer["error"] as? [String: Any])?["message"] as? String
            #expect(["EMAIL_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS"].contains(message))
        }

        @Test("The configuration that web flows begin with comes from Postern") func projectConfig() async throws {
            var request = try request("https://www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig")
            request.httpMethod = "GET"
            let (status, answer) = try await send(request)
            #expect(status == 200)
            #expect((answer["authorizedDomains"] as? [String])?.contains("localhost") == true)
        }

        private func post(_ url: String, _ body: [String: any Sendable]) async throws -> (Int, [String: Any]) {
            var request = try request(url)
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            return try await send(request)
        }

        private func request(_ url: String) throws -> URLRequest {
            var request = URLRequest(url: try #require(URL(string: url + "?key=" + postern.key)))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("com.example.app", forHTTPHeaderField: "X-Ios-Bundle-Identifier")
            request.timeoutInterval = 20
            return request
        }

        private func send(_ request: URLRequest) async throws -> (Int, [String: Any]) {
            let (data, response) = try await URLSession(configuration: PosternFirebase.configure(.ephemeral)).data(for: request)
            let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return (try #require(response as? HTTPURLResponse).statusCode, try #require(answer))
        }

        private func claims(of token: String) throws -> [String: Any] {
            let parts = token.split(separator: ".")
            try #require(parts.count == 3)
            var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            let data = try #require(Data(base64Encoded: text))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
    }

    /// The same server, in a process that does not trust its certificate.
    @Suite(.serialized, .enabled(if: Postern.current?.trust == "no", "The script `test` runs these."))
    struct UntrustedServerTests {
        @Test("A certificate that the system does not trust ends the request") func untrusted() async throws {
            let postern = try #require(Postern.current)
            try PosternFirebase.use(postern.url)
            let url = try #require(URL(string: "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=" + postern.key))
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = Data("{\"returnSecureToken\":true}".utf8)
            let session = URLSession(configuration: PosternFirebase.configure(.ephemeral))
            let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
            // Foundation on Linux has no code for it and tells what libcurl says.
            #expect(String(describing: error).contains("certificate"), "\(String(describing: error))")
        }
    }
}
