import Foundation
import Testing

@testable import PosternFirebase

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which URLs are accepted for Postern, and what becomes of a request's URL.
@Suite struct RouteTests {
    @Test(
        "An origin is accepted",
        arguments: [
            "https://auth.example.com", "https://auth.example.com/", "https://auth.example.com:8443", "HTTPS://Auth.Example.com",
            "https://192.0.2.7", "https://[2001:db8::7]:8443", "http://localhost:9099", "http://127.0.0.1:9099",
            "http://127.8.9.1", "http://[::1]:9099", "https://googleapis.com.example.com",
        ]
    ) func origin(_ text: String) throws {
        _ = try Route(to: url(text))
    }

    @Test(
        "Anything else is refused, and the error says why without repeating the URL",
        arguments: [
            ("http://auth.example.com", PosternFirebaseError.schemeIsNotHTTPS),
            ("http://127.0.0.1.example.com", .schemeIsNotHTTPS),
            ("http://127.evil", .schemeIsNotHTTPS),
            ("http://localhost.example.com", .schemeIsNotHTTPS),
            ("http://128.0.0.1", .schemeIsNotHTTPS),
            ("http://0.0.0.0", .schemeIsNotHTTPS),
            ("ftp://auth.example.com", .schemeIsNotHTTPS),
            ("file:///etc/passwd", .hostIsMissing),
            ("auth.example.com", .hostIsMissing),
            ("/relative", .hostIsMissing),
            ("https://", .hostIsMissing),
            ("mailto:somebody@example.com", .hostIsMissing),
            ("https://auth.example.com/prefix", .urlIsNotAnOrigin),
            ("https://auth.example.com?a=b", .urlIsNotAnOrigin),
            ("https://auth.example.com#top", .urlIsNotAnOrigin),
            ("https://somebody:secret@auth.example.com", .urlIsNotAnOrigin),
            ("https://auth.example.com:0", .urlIsNotAnOrigin),
            ("https://auth.example.com:65536", .urlIsNotAnOrigin),
            ("https://identitytoolkit.googleapis.com", .hostIsGoogles),
            ("https://SecureToken.googleapis.com:8443", .hostIsGoogles),
            ("https://www.googleapis.com", .hostIsGoogles),
        ]
    ) func notAnOrigin(_ text: String, reason: PosternFirebaseError) throws {
        let url = try url(text)
        #expect(throws: reason) { try Route(to: url) }
        #expect(!reason.localizedDescription.contains("secret"))
        #expect(reason.localizedDescription.hasSuffix("."))
    }

    @Test(
        "The SDK's requests go to Postern with the path and the query that they have",
        arguments: [
            ("https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=AIza", "/v1/accounts:signUp?key=AIza"),
            (
                "https://identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start?key=k",
                "/v2/accounts/mfaEnrollment:start?key=k"
            ),
            ("https://identitytoolkit.googleapis.com:443/v2/passwordPolicy?key=k", "/v2/passwordPolicy?key=k"),
            ("HTTPS://IdentityToolkit.GoogleAPIs.com/v1/x", "/v1/x"),
            ("https://securetoken.googleapis.com/v1/token?key=k", "/v1/token?key=k"),
            (
                "https://www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig?key=k&iosBundleId=a.b",
                "/identitytoolkit/v3/relyingparty/getProjectConfig?key=k&iosBundleId=a.b"
            ),
            (
                "https://identitytoolkit.googleapis.com/v1/a%2Fb/c%20d;e?x=%26%3D+%2B&y=%C3%A9#part",
                "/v1/a%2Fb/c%20d;e?x=%26%3D+%2B&y=%C3%A9#part"
            ),
        ]
    ) func led(_ text: String, rest: String) throws {
        let request = URLRequest(url: try url(text))
        for origin in ["https://auth.example.com", "https://auth.example.com:8443", "https://[2001:db8::7]:8443"] {
            let led = try Route(to: url(origin)).request(for: request)
            #expect(led?.url?.absoluteString == origin + rest)
        }
    }

    @Test(
        "Every other request is left alone",
        arguments: [
            "https://www.googleapis.com/drive/v3/files", "https://www.googleapis.com/identitytoolkitten/v1",
            "https://www.googleapis.com/", "https://www.googleapis.com", "https://oauth2.googleapis.com/token",
            "https://firebaseinstallations.googleapis.com/v1/projects/p/installations",
            "https://firebaseappcheck.googleapis.com/v1/projects/p/apps/a:exchangeDeviceCheckToken",
            "https://identitytoolkit.googleapis.com.example.com/v1", "https://example.com/identitytoolkit.googleapis.com/v1",
            "https://evil-identitytoolkit.googleapis.com/v1", "https://identitytoolkit.googleapis.com:8443/v1",
            "http://identitytoolkit.googleapis.com/v1", "wss://identitytoolkit.googleapis.com/v1",
            "https://somebody:secret@identitytoolkit.googleapis.com/v1", "https://auth.example.com/v1",
            "data:text/plain,identitytoolkit.googleapis.com",
        ]
    ) func leftAlone(_ text: String) throws {
        let route = try Route(to: url("https://auth.example.com"))
        #expect(route.request(for: URLRequest(url: try url(text))) == nil)
    }

    @Test("Nothing of a request but its URL changes") func nothingElseChanges() throws {
        var request = URLRequest(
            url: try url("https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"),
            cachePolicy: .reloadIgnoringLocalAndRemoteCacheData,
            timeoutInterval: 7
        )
        request.httpMethod = "PATCH"
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("com.example.app", forHTTPHeaderField: "X-Ios-Bundle-Identifier")
        request.allowsCellularAccess = false
        request.httpShouldHandleCookies = false
        var led = try #require(try Route(to: url("https://auth.example.com:8443")).request(for: request))
        led.url = request.url
        #expect(led == request)
        #expect(led.httpMethod == "PATCH" && led.httpBody == Data("{}".utf8) && led.timeoutInterval == 7)
        #expect(led.allHTTPHeaderFields == request.allHTTPHeaderFields && led.cachePolicy == request.cachePolicy)
    }

    private func url(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }
}
