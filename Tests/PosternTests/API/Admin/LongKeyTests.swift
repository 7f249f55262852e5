import Project
import TestKit
import Testing

@Suite("Texts that are too long for an index", .teardown, .timeLimit(.minutes(15)))
struct LongKeyTests {
    /// Base64 of a hash chain, which PostgreSQL cannot compress. Compressible texts of any length would fit.
    private static func text(_ length: Int) -> String {
        let bytes = (0..<length / 32 + 1).flatMap { sha256("\($0)".utf8) }
        return String(Base64URL.encode(bytes).prefix(length))
    }

    @Test("keep one row of an import out, by name, and no other", arguments: Engine.allCases)
    func rows(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        func provider(_ id: String, _ members: JSONValue) -> JSONValue {
            ["localId": .string(id), "providerUserInfo": .array([members])]
        }
        let long = JSONValue.string(Self.text(3000))
        let users: [(JSONValue, String?)] = [
            (provider("a", ["providerId": "saml.x", "rawId": long]), "rawId is too long"),
            (provider("b", ["providerId": long, "rawId": "r"]), "providerId is too long"),
            (provider("c", ["providerId": "saml.x", "rawId": "c", "email": long]), "email of saml.x is too long"),
            (provider("d", ["federatedId": long, "providerId": "saml.x"]), "rawId is too long"),
            (provider("e", ["providerId": "saml.x", "rawId": .string(Self.text(1025))]), "rawId is too long"),
            (provider("f", ["providerId": "saml.x", "rawId": .string(Self.text(1024))]), nil),
            // Each character takes three bytes.
            (provider("g", ["providerId": "saml.x", "rawId": .string(String(repeating: "€", count: 342))]), "rawId is too long"),
            (["localId": long], "localId is too long"), (["localId": "h", "email": long], "email is invalid"),
            (["localId": "i", "phoneNumber": long], "phone number format is invalid"),
            (["localId": "nfd-e\u{301}"], "localId is not in Unicode's Normalization Form C"),
            (["localId": "caf\u{E9}"], nil), (["localId": .string(String(repeating: "€", count: 128))], nil),
            (["localId": "j", "initialEmail": long], nil),
        ]
        let answer = try await server.admin("accounts:batchCreate", ["users": .array(users.map(\.0))])
        #expect(answer.status == 200, "\(answer.json)")
        let expected = users.enumerated().compactMap { index, user in user.1.map { "\(index) \($0)" } }
        let told = (answer["error"]?.array ?? []).map { "\($0["index"]?.integer ?? -1) \($0["message"]?.string ?? "")" }
        #expect(told == expected)
        #expect(try await server.user("f") != nil)
    }

    @Test("and ids that are equal to others in Swift, though not in bytes, make no accounts")
    func equivalentIDs() async throws {
        let server = try await TestServer.start()
        let minter = try await CustomTokenTests.Minter(on: server)
        for (id, isTaken) in [("cafe\u{301}", false), ("\u{212A}elvin", false), ("caf\u{E9}", true), ("Kelvin", true)] {
            let made = try await server.admin("accounts", ["localId": .string(id)])
            #expect((made.status == 200) == isTaken, "\(id): \(made.json.text)")
            let signedIn = try await server.call("signInWithCustomToken", ["token": .string(try minter.token(id))])
            #expect((signedIn.status == 200) == isTaken, "\(id)")
            if !isTaken { #expect(signedIn.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true) }
        }
    }

    @Test("are refused wherever an administrator names something", arguments: Engine.allCases)
    func calls(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        #expect(try await server.admin("accounts", ["localId": "u"]).status == 200)
        let long = JSONValue.string(Self.text(3000))
        for link in [
            ["providerId": "saml.x", "rawId": long], ["providerId": long, "rawId": "r"],
            ["providerId": "saml.x", "rawId": "r", "email": long],
        ] as [JSONValue] {
            let answer = try await server.admin("accounts:update", ["localId": "u", "linkProviderUserInfo": link])
            #expect(answer.status == 400, "\(answer.json)")
        }
        for account in [["localId": long], ["email": long], ["phoneNumber": long]] as [JSONValue] {
            #expect(try await server.admin("accounts", account).status == 400)
            guard account["localId"] == nil else { continue }
            #expect(try await server.admin("accounts:update", account.merging(["localId": "u"])).status == 400)
        }
        #expect(try await server.admin("accounts", ["localId": "v", "tenantId": long]).status == 400)
    }

    @Test("are refused of a token that development takes at its word", arguments: Engine.allCases)
    func development(engine: Engine) async throws {
        let server = try await TestServer.start(mode: .development, on: engine)
        for (length, status) in [(1024, 200), (1025, 400), (3000, 400)] {
            let token: JSONValue = ["sub": .string(Self.text(length))]
            #expect(try await server.signIn("saml.x", token.text).status == status, "\(length)")
            let google = try await server.signIn("google.com", token.text)
            #expect(google.status == status, "\(google.json)")
        }
    }
}
