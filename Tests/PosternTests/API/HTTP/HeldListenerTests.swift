import Foundation
import Logging
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("A listener whose socket is held while the server starts", .timeLimit(.minutes(15)))
struct HeldListenerTests {
    private let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }

    private func bind(port: Int) async throws -> HeldListener {
        var variables = TestServer.storeVariables(.development, "sqlite::memory:")
        variables["POSTERN_SERVER_PORT"] = String(port)
        let settings = try SettingsLoader.load(file: nil, environment: variables)
        let socket = ListenerSocket.main(settings, certificate: nil, logger: quiet)
        return try await HeldListener.bind(socket, mode: .development, logger: quiet)
    }

    @Test("answers 503 to everything, keeps others from the socket, and gives it back when the server does not start")
    func held() async throws {
        let listener = try await bind(port: 0)
        let client = TestClient("http://127.0.0.1:\(listener.port)")
        for path in ["/readyz", "/v1/accounts:signUp?key=k", "/nowhere"] {
            let answer = try await client.send("GET", path)
            #expect(answer.status == 503 && answer["error"]?["status"] == "UNAVAILABLE", "\(path)")
        }
        let head = try await RawConnection.answer(to: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", port: listener.port)
        #expect(head.hasPrefix("HTTP/1.1 503 ") && head.hasSuffix("\r\n\r\n"), "\(head)")
        await #expect(throws: UnusableSetting.self) { () async throws in _ = try await bind(port: listener.port) }
        await listener.close()
        let next = try await bind(port: listener.port)
        await next.close()
    }
}
