import Accounts
import CryptoExtras
import Foundation
import Project
import Storage
import Tenancy
import TestKit
import Testing
import Tokens

@testable import Server

extension CustomTokenTests {
    @Test("make no user where end users may not, and go on signing in those that there are")
    func disabledSignUp() async throws {
        let project = "config: {client: {permissions: {disabledUserSignup: true}}}"
        let server = try await TestServer.start(project: { _ in project })
        let minter = try await Minter(on: server)
        #expect(try await signIn(server, try minter.token("u")).errorMessage == "ADMIN_ONLY_OPERATION")
        #expect(try await server.callAsAdmin("signUp", ["localId": "u"]).status == 200)
        #expect(try await signIn(server, try minter.token("u")).status == 200)
    }

    @Test("are taken with the headers that official SDKs write: without a type, as Java's, and with one in any case")
    func types() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        let claims = Self.claims("u", minter.email, server)
        func token(_ header: JSONValue) throws -> String {
            let input = TestKey.segments(header, claims)
            return "\(input).\(Base64URL.encode(try minter.key.sign(Data(input.utf8))))"
        }
        for header in [
            ["alg": "RS256"], ["alg": "RS256", "typ": "JWT"], ["alg": "RS256", "typ": "jwt"], ["alg": "RS256", "typ": "Jwt"],
            ["alg": "RS256", "typ": "JWT", "kid": .string(minter.key.kid)],
        ] as [JSONValue] {
            #expect(try await signIn(server, try token(header)).status == 200, "\(header)")
        }
        for type in ["JOSE", "", "application/jwt", "at+jwt", "JW\u{FF34}", 7, .null, ["JWT"]] as [JSONValue] {
            let answer = try await signIn(server, try token(["alg": "RS256", "typ": type]))
            #expect(answer.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true, "\(type)")
        }
    }

    @Test("of a deleted service account are refused within a second; its users stay signed in")
    func deletedAccount() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        let session = try await signIn(server, try minter.token("u"))
        #expect(session.status == 200)
        try await Minter.registry(of: server).delete("minter")
        server.clock.advance(by: .seconds(1))
        let answer = try await signIn(server, try minter.token("u"))
        #expect(answer.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN : The signature") == true)
        #expect(try await server.refresh(try #require(session["refreshToken"]?.string)).status == 200)
        // The account of the same name has another key. The old key stays invalid.
        let successor = try await Minter(on: server)
        server.clock.advance(by: .seconds(1))
        #expect(try await signIn(server, try minter.token("u")).status == 400)
        #expect(try await signIn(server, try successor.token("u")).status == 200)
    }

    @Test("of an account that is registered for another project are a mismatch")
    func foreignAccount() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        let (core, email) = (server.core, "minter@example.com")
        let elsewhere = try ProjectDeclaration(["serviceAccounts": [email: ["publicKey": .string(Self.publicKey(minter))]]])
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: core.environment)
        try await elsewhere.apply(
            to: "other",
            database: core.database,
            sealer: sealer,
            at: server.clock.now,
            logger: server.log.logger()
        )
        let token = try minter.token("u", ["iss": .string(email), "sub": .string(email)])
        #expect(try await signIn(server, token).errorMessage == "CREDENTIAL_MISMATCH")
    }
    private static func publicKey(_ minter: Minter) -> String {
        if case .rsa(_, let key) = minter.key { key.publicKey.pemRepresentation } else { "" }
    }

    @Test("are for one tenant or for the project itself")
    func tenants() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        let tenant: JSONValue = ["tenantId": "acme"]
        let token = try minter.token("u", ["tenant_id": "acme"])
        let session = try await signIn(server, token, tenant)
        #expect(try payload(session)["firebase"]?["tenant"] == "acme")
        #expect(try await signIn(server, token).errorMessage == "TENANT_ID_MISMATCH")
        for other in [try minter.token("u"), try minter.token("u", ["tenant_id": "other"]), "garbage"] {
            #expect(try await signIn(server, other, tenant).errorMessage == "TENANT_ID_MISMATCH")
        }
        #expect(try await signIn(server, token, ["tenantId": "closed"]).errorMessage == "PROJECT_DISABLED")
        // The project's user and the tenant's user are different accounts.
        #expect(try await signIn(server, try minter.token("u"))["isNewUser"] == true)
    }

    @Test("of an account that the project file names by its certificate are accepted")
    func certificate() async throws {
        let directory = try await makeTemporaryDirectory()
        let (_, der, certificate) = try SigningKeyPair.generate(TestClock().environment())
        try certificate.write(toFile: directory + "/minter.pem", atomically: true, encoding: .utf8)
        let file = "serviceAccounts: {minter@elsewhere.iam.gserviceaccount.com: {publicKey: {file: \(directory)/minter.pem}}}"
        let server = try await TestServer.start(project: { _ in file })
        let key = TestKey.rsa(kid: "k", try _RSA.Signing.PrivateKey(derRepresentation: der))
        let claims = Self.claims("u", "minter@elsewhere.iam.gserviceaccount.com", server)
        #expect(try await signIn(server, try key.token(claims: claims))["isNewUser"] == true)
        let accounts = try await Minter.registry(of: server).list()
        #expect(accounts.map(\.email) == ["minter@elsewhere.iam.gserviceaccount.com"])
        #expect(accounts.first?.keyID.count == 40)
        #expect(accounts.first?.createdAt == server.clock.now.rfc3339)
    }
}
