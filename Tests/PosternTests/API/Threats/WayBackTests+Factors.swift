import Foundation
import Project
import TestKit
import Testing

extension WayBackTests {
    private static let newAddress = "new@example.com"

    /// An account with a factor, which left its address for another one in a session with that factor.
    private func moved(_ server: TestServer, _ smtp: SMTPServer) async throws -> (
        enrolled: TestServer.EnrolledApp, revert: JSONValue, recover: JSONValue
    ) {
        let enrolled = try await server.enrollApp(try await server.verifiedUser(Self.owner))
        let revert = try await message(1, of: smtp).code
        let move: JSONValue = ["idToken": .string(enrolled.session.idToken), "newEmail": .string(Self.newAddress)]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(Self.newAddress))
        return (enrolled, revert, try await message(2, of: smtp).code)
    }

    @Test("a mailbox that was left long ago gets the address back, but defeats no second factor (LNK-10)", arguments: [2, 4])
    func oldMailbox(days: Int) async throws {
        try await running { server, smtp in
            let (enrolled, revert, recover) = try await moved(server, smtp)
            // The owner changes the phone.
            let login = try await server.signIn(Self.newAddress)
            let session = try server.session(try await server.show(enrolled, login))
            _ = try await server.enrollApp(session)
            server.clock.advance(by: .seconds(days * 86_400))
            let reverted = try await server.call("update", ["oobCode": revert])
            #expect(reverted.status == (days < 3 ? 200 : 400), "\(reverted.json.text)")
            let recovered = try await server.call("update", ["oobCode": recover])
            #expect(recovered["email"] == .string(Self.owner), "\(recovered.json.text)")
            let user = try #require(try await server.user(enrolled.session.localID))
            #expect((user["mfaInfo"]?.array?.count ?? 0) == (days < 3 ? 0 : 2), "\(user)")
        }
    }

    @Test("nor does a later notice to an address that was left long ago, and is the account's again (LNK-10)")
    func oldLeave() async throws {
        try await running { server, smtp in
            let owner = try await server.verifiedUser(Self.owner)
            func move(_ session: TestServer.Session, to email: String) async throws {
                let body: JSONValue = ["idToken": .string(session.idToken), "newEmail": .string(email)]
                let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", body)
                #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(email))
            }
            try await move(owner, to: Self.newAddress)
            let enrolled = try await server.enrollApp(try server.session(try await server.signIn(Self.newAddress)))
            try await move(enrolled.session, to: Self.owner)
            _ = try await message(3, of: smtp)
            server.clock.advance(by: .seconds(10 * 86_400))
            let session = try server.session(try await server.show(enrolled, try await server.signIn(Self.owner)))
            let link = try await server.signIn("oidc.test", server.oidcToken("o"), ["idToken": .string(session.idToken)])
            #expect(link.status == 200, "\(link.json.text)")
            let notice = try await message(4, of: smtp).code
            #expect(try await server.call("update", ["oobCode": notice]).status == 200)
            let user = try #require(try await server.user(owner.localID))
            #expect(user["mfaInfo"]?.array?.count == 1, "\(user)")
        }
    }

    @Test("a factor that a left mailbox takes back: the present address is told")
    func toldOfRevert() async throws {
        try await running { server, smtp in
            let (_, revert, _) = try await moved(server, smtp)
            #expect(try await server.call("update", ["oobCode": revert]).status == 200)
            let told = try await smtp.message(3)
            #expect(told["rcptTos"] == [.string(Self.newAddress)], "\(told.text)")
            #expect(try await message(3, of: smtp).text.contains("a second sign-in step was removed"))
        }
    }
}
