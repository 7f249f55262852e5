import Project
import TestKit
import Testing

@testable import Server

@Suite("A clock that jumps (OPS-03)")
struct ClockTests {
    @Test("makes tokens from the future good for nothing, also those that were verified before, and ends no session")
    func back() async throws {
        try await TestServer.running { server in
            let session = try server.session(try await server.call("signUp", [:]))
            let body: JSONValue = ["idToken": .string(session.idToken)]
            #expect(try await server.call("lookup", body).status == 200)
            server.clock.advance(by: .seconds(-60))
            #expect(try await server.call("lookup", body).status == 200)
            server.clock.advance(by: .seconds(-3600))
            #expect(try await server.call("lookup", body).errorMessage == "INVALID_ID_TOKEN")
            #expect(try await server.refresh(session.refreshToken).status == 200)
            server.clock.advance(by: .seconds(3660))
            #expect(try await server.call("lookup", body).status == 200)
        }
    }
}
