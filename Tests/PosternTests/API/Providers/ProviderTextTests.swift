import Project
import TestKit
import Testing

@Suite("What a provider says of its user", .teardown)
struct ProviderTextTests {
    @Test("is no picture where a character stands in it that no address has", arguments: ["\u{1}", " ", "\n", "\u{7F}"])
    func photo(character: String) async throws {
        let server = try await TestServer.start()
        let token = try server.oidcToken("u", ["picture": .string("https://cdn.example/a\(character)b.jpg")])
        let answer = try await server.signIn("oidc.test", token)
        #expect(answer["photoUrl"] == nil)
        #expect(try await server.account(try server.session(answer))["photoUrl"] == nil)
    }

    @Test("fits into our own ID tokens, or is left out")
    func attributes() async throws {
        let server = try await TestServer.start()
        let many = JSONObject(naming: (0..<20).map { ("group-\($0)", .string(String(repeating: "x", count: 1000))) })
        let large: JSONValue = .object(many).merging(["all": .string(String(repeating: "y", count: 20_000)), "team": "red"])
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u", large)))
        let attributes = try #require(try server.payload(session.idToken)["firebase"]?["sign_in_attributes"])
        #expect(attributes.serialized().count <= 16 * 1024)
        #expect(attributes["team"] == "red")
        #expect(attributes["all"] == nil)
        #expect((attributes.object?.count ?? 0) > 10)
        #expect(try await server.refresh(session.refreshToken).status == 200)
    }
}
