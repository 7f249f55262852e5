import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// An operator who signs in with a passkey, at a browser without scripts.
struct OperatorPasskey {
    static let email = "grace@example.com"
    static let actor = "operator:\(email)"

    let server: TestServer
    let key = SoftwareAuthenticator()
    let operatorID: String
    /// The cookie of the session that the enrolment began.
    let cookie: String

    /// The data of a ceremony.
    static func ceremony(_ server: TestServer) -> SoftwareAuthenticator.Ceremony {
        SoftwareAuthenticator.Ceremony(origin: "http://localhost:\(server.port)", relyingPartyID: "localhost")
    }

    /// The challenge of the first passkey button of a page.
    static func challenge(_ page: ConsoleClient.Page) throws -> String {
        let options = try #require(page.html.firstMatch(of: /data-options="([^"]*)"/).map { String($0.1) })
        let json = try JSONValue.parse(options.replacing("&quot;", with: "\"").utf8)
        let text = try #require(json["challenge"]?.string)
        return Data(try #require(Base64URL.decode(text.utf8))).base64EncodedString()
    }

    /// Makes the first operator.
    init(_ server: TestServer) async throws {
        self.server = server
        let code = try #require(try await server.core.useCases.console.invitations.firstStart())
        let page = try await Self.get(server, "/console/invitation?code=\(code)&email=\(Self.email)")
        let response = try key.register(try Self.challenge(page), Self.ceremony(server))
        let fields = [
            ("invitation", code), ("email", Self.email), ("way", "passkey"), ("name", "laptop"), ("response", response.text),
        ]
        let done = try await Self.post(server, "/console/invitation", fields)
        try #require(done.status == 303, "\(done.html)")
        let header = try #require(done.answer.header("Set-Cookie"))
        cookie = try #require(header.firstMatch(of: /^__Host-postern-console=([^;]*);/).map { String($0.1) })
        operatorID = try #require(try await server.core.useCases.console.directory.all().first?.operatorID)
    }

    /// Answers the passkey button of a page.
    ///
    /// - Parameters:
    ///   - path: The page.
    ///   - cookie: The cookie of a session.
    ///   - change: Changes the ceremony.
    /// - Returns: What the form of the button sends.
    func answer(
        _ path: String,
        cookie: String? = nil,
        _ change: (inout SoftwareAuthenticator.Ceremony) -> Void = { _ in }
    ) async throws -> [(String, String)] {
        let page = try await Self.get(server, path, cookie: cookie)
        var ceremony = Self.ceremony(server)
        ceremony.userHandle = operatorID
        change(&ceremony)
        let token = page.field("csrf").map { [("csrf", $0)] } ?? []
        return token + [("way", "passkey"), ("response", try key.assert(try Self.challenge(page), ceremony).text)]
    }

    private static func cookies(_ cookie: String?) -> [(String, String)] {
        cookie.map { [("Cookie", "__Host-postern-console=\($0)")] } ?? []
    }

    static func get(_ server: TestServer, _ path: String, cookie: String? = nil) async throws -> ConsoleClient.Page {
        ConsoleClient.Page(answer: try await server.client.get(path, headers: cookies(cookie)))
    }

    static func post(
        _ server: TestServer,
        _ path: String,
        _ fields: [(String, String)],
        cookie: String? = nil
    ) async throws -> ConsoleClient.Page {
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let headers = type + ConsoleClient.ownHeaders(server) + cookies(cookie)
        let body = Data(TestClient.encode(fields).utf8)
        return ConsoleClient.Page(answer: try await server.client.send("POST", path, headers: headers, body: body))
    }
}
