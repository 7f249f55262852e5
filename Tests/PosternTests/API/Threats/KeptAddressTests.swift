import Project
import TestKit
import Testing

@testable import Server

/// Ruling 40: a never-proven account keeps its address from nobody who proves it, and gives it to nobody who does not.
@Suite("A never-proven account that has somebody's address", .teardown, .timeLimit(.minutes(15)))
struct KeptAddressTests {
    static let victim = "victim@example.com"

    /// How the owner of the address proves it.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case provider, emailLink, reset, linkedProvider, linkedEmailLink, change

        var testDescription: String { rawValue }

        /// Whether the address goes to an account that was there before.
        var isForOwnAccount: Bool { [.linkedProvider, .linkedEmailLink, .change].contains(self) }
    }

    /// The account that has the address.
    enum Squatter: String, CaseIterable, CustomTestStringConvertible {
        case usable, disabled, disabledProvider

        var testDescription: String { rawValue }
    }

    func start(_ more: String = "", hidesAccounts: Bool = true, on engine: Engine = .sqlite) async throws -> TestServer {
        return try await TestServer.start(project: TestServer.emailProject(more, hidesAccounts: hidesAccounts), on: engine)
    }

    func plant(_ squatter: Squatter, on server: TestServer) async throws -> TestServer.Session {
        let session: TestServer.Session
        if squatter == .disabledProvider {
            let token = try server.oidcToken("squatter", TestServer.email(Self.victim, verified: false))
            session = try server.session(try await server.signIn("oidc.test", token))
        } else {
            session = try await server.signUp(Self.victim, "planted")
        }
        if squatter != .usable { try await disable(session, on: server) }
        return session
    }

    func disable(_ session: TestServer.Session, on server: TestServer) async throws {
        #expect(try await server.callAsAdmin("update", ["localId": .string(session.localID), "disableUser": true]).status == 200)
    }

    /// The owner proves the address. `own` is a session of the account that the owner has already.
    func prove(_ way: Way, by own: TestServer.Session, on server: TestServer) async throws -> TestClient.Answer {
        let (email, token) = (JSONValue.string(Self.victim), ["idToken": .string(own.idToken)] as JSONValue)
        switch way {
        case .provider, .linkedProvider:
            let claims = try server.oidcToken("owner", TestServer.email(Self.victim))
            return try await server.signIn("oidc.test", claims, way == .linkedProvider ? token : [:])
        case .emailLink, .linkedEmailLink:
            let code = try await server.code("EMAIL_SIGNIN", ["email": email, "continueUrl": "https://app.example.com/"])
            let body: JSONValue = ["email": email, "oobCode": .string(code)]
            return try await server.call("signInWithEmailLink", way == .linkedEmailLink ? body.merging(token) : body)
        case .reset:
            let code = try await server.code("PASSWORD_RESET", ["email": email])
            #expect(try await server.call("resetPassword", ["oobCode": .string(code)])["email"] == email)
            return try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "of the owner"])
        case .change:
            let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", token.merging(["newEmail": email]))
            return try await server.call("update", ["oobCode": .string(code)])
        }
    }

    /// A session of the account that the owner of the address has already.
    func ownSession(_ way: Way, on server: TestServer) async throws -> TestServer.Session {
        guard way != .change else { return try await server.verifiedUser("own@example.com") }
        return try server.session(try await server.call("signUp", [:]))
    }

    func holder(on server: TestServer) async throws -> JSONValue? {
        try await server.admin("accounts:lookup", ["email": [.string(Self.victim)]])["users"]?[0]
    }

    @Test(
        "and is disabled, gives it up to whoever proves it, and stays disabled (LNK-18)",
        arguments: Engine.allCases,
        Way.allCases
    )
    func disabled(engine: Engine, way: Way) async throws {
        for squatter in [Squatter.disabled, .disabledProvider] {
            let server = try await start(on: engine)
            let planted = try await plant(squatter, on: server)
            let own = try await ownSession(way, on: server)
            let answer = try await prove(way, by: own, on: server)
            #expect(answer.status == 200, "\(squatter) \(answer.json)")
            let owner = try #require(try await holder(on: server), "\(squatter)")
            #expect(owner["localId"]?.string != planted.localID)
            #expect((owner["localId"]?.string == own.localID) == way.isForOwnAccount)
            #expect(owner["emailVerified"] == true && owner["disabled"]?.bool != true, "\(owner)")
            let left = try #require(try await server.user(planted.localID))
            #expect(left["disabled"] == true && left["email"] == nil, "\(left)")
            #expect(try await server.signIn(Self.victim, password: "planted").status == 400)
            let trail = try await server.auditTrail()
            #expect(trail.contains(["releaseEmail", "user", planted.localID]), "\(trail)")
            if !way.isForOwnAccount {
                #expect(trail.contains(["signUp", "user", owner["localId"]?.string ?? ""]), "\(trail)")
            }
        }
    }

    @Test("gives it up to an account whose user moves to it, once the code is applied (LNK-18)", arguments: Engine.allCases)
    func moved(engine: Engine) async throws {
        let server = try await start(on: engine)
        let planted = try await plant(.usable, on: server)
        let own = try await ownSession(.change, on: server)
        let body: JSONValue = ["idToken": .string(own.idToken), "newEmail": .string(Self.victim)]
        let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", body)
        // Asking for it takes nothing.
        #expect(try await holder(on: server)?["localId"]?.string == planted.localID)
        let moved = try await server.call("update", ["oobCode": .string(code)])
        #expect(moved["newEmail"] == .string(Self.victim), "\(moved.json)")
        #expect(try await holder(on: server)?["localId"]?.string == own.localID)
        #expect(try await server.refresh(planted.refreshToken).status == 400)
        #expect(try await server.user(planted.localID)?["email"] == nil)
        let trail = try await server.auditTrail()
        #expect(trail.contains(["releaseEmail", "user", planted.localID]))
        #expect(trail.contains(["changeEmail", "user", own.localID]))
    }

    @Test(
        "keeps it from a link or an upgrade where signing in with the same proof takes the account over",
        arguments: [Way.linkedProvider, .linkedEmailLink]
    )
    func upgrade(way: Way) async throws {
        let server = try await start()
        let planted = try await plant(.usable, on: server)
        let anonymous = try await ownSession(way, on: server)
        #expect(try await prove(way, by: anonymous, on: server).errorMessage == "EMAIL_EXISTS")
        #expect(try await holder(on: server)?["localId"]?.string == planted.localID)
        let signIn = try await prove(way == .linkedProvider ? .provider : .emailLink, by: anonymous, on: server)
        #expect(try server.session(signIn).localID == planted.localID)
        #expect(try await holder(on: server)?["emailVerified"] == true)
    }

    @Test("keeps it from whoever proves nothing", arguments: Squatter.allCases)
    func unproven(squatter: Squatter) async throws {
        let server = try await start(hidesAccounts: false)
        let planted = try await plant(squatter, on: server)
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let password: JSONValue = ["email": .string(Self.victim), "password": "secret-2"]
        #expect(try await server.call("signUp", password).errorMessage == "EMAIL_EXISTS")
        #expect(try await server.call("signUp", password.merging(anonymous.token)).errorMessage == "EMAIL_EXISTS")
        let own = try await server.signUp("own@example.com")
        let change: JSONValue = ["idToken": .string(own.idToken), "email": .string(Self.victim)]
        #expect(try await server.call("update", change).errorMessage == "EMAIL_EXISTS")
        let claims = try server.oidcToken("stranger", TestServer.email(Self.victim, verified: false))
        #expect(try await server.signIn("oidc.test", claims)["needConfirmation"] == true)
        #expect(try await server.signIn("oidc.test", claims, anonymous.token).errorMessage == "EMAIL_EXISTS")
        #expect(try await holder(on: server)?["localId"]?.string == planted.localID)
    }

    @Test("or has proven it, and is disabled, never gives it up", arguments: Way.allCases)
    func proven(way: Way) async throws {
        let server = try await start()
        let owner = try await server.verifiedUser(Self.victim)
        let own = try await ownSession(way, on: server)
        try await disable(owner, on: server)
        switch way {
        case .change:
            let body: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(own.idToken),
                "newEmail": .string(Self.victim), "returnOobLink": true,
            ]
            #expect(try await server.callAsAdmin("sendOobCode", body).errorMessage == "EMAIL_EXISTS")
        case .reset:
            let code = try await server.code("PASSWORD_RESET", ["email": .string(Self.victim)])
            let answer = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
            #expect(answer.errorMessage == "USER_DISABLED")
        default:
            let answer = try await prove(way, by: own, on: server)
            #expect(answer.errorMessage == (way.isForOwnAccount ? "EMAIL_EXISTS" : "USER_DISABLED"))
        }
        let user = try #require(try await holder(on: server))
        #expect(user["localId"]?.string == owner.localID && user["disabled"] == true)
    }

    @Test("an address that was proven while the code for it was under way stays with who proved it")
    func provenMeanwhile() async throws {
        let server = try await start()
        let planted = try await plant(.usable, on: server)
        let own = try await ownSession(.change, on: server)
        let body: JSONValue = ["idToken": .string(own.idToken), "newEmail": .string(Self.victim)]
        let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", body)
        let verify = try await server.code("VERIFY_EMAIL", ["idToken": .string(planted.idToken)])
        #expect(try await server.call("update", ["oobCode": .string(verify)]).status == 200)
        #expect(try await server.call("update", ["oobCode": .string(code)]).errorMessage == "EMAIL_EXISTS")
        #expect(try await holder(on: server)?["localId"]?.string == planted.localID)
    }

    @Test("is replaced only where users may sign up", arguments: [Way.provider, .emailLink, .reset])
    func closed(way: Way) async throws {
        let server = try await start("client: {permissions: {disabledUserSignup: true}}")
        let created: JSONValue = ["localId": "planted", "email": .string(Self.victim), "password": "planted", "disabled": true]
        #expect(try await server.callAsAdmin("signUp", created).status == 200)
        let own = TestServer.Session(idToken: "", refreshToken: "", localID: "")
        #expect(try await prove(way, by: own, on: server).errorMessage == "ADMIN_ONLY_OPERATION")
        let user = try #require(try await holder(on: server))
        #expect(user["localId"] == "planted" && user["disabled"] == true)
    }

    @Test("is replaced only by an account that beforeCreate allows", arguments: [Way.provider, .emailLink, .reset])
    func function(way: Way) async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        let server = hooked.server
        let created: JSONValue = ["localId": "planted", "email": .string(Self.victim), "password": "planted", "disabled": true]
        #expect(try await server.callAsAdmin("signUp", created).status == 200)
        let own = TestServer.Session(idToken: "", refreshToken: "", localID: "")
        hooked.answer("beforeCreate", .init(403, json: ["error": ["message": "no"]]))
        let refused = try await prove(way, by: own, on: server)
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true, "\(refused.json)")
        #expect(try await holder(on: server)?["localId"] == "planted")
        hooked.change("beforeCreate", mask: "customClaims", ["customClaims": ["role": "seen"]])
        #expect(try await prove(way, by: own, on: server).status == 200)
        let owner = try #require(try await holder(on: server))
        #expect(owner["localId"] != "planted" && owner["customAttributes"]?.string == #"{"role":"seen"}"#, "\(owner)")
        #expect(hooked.asked == ["beforeCreate", "beforeCreate"])
    }

    @Test("in development keeps it as the emulator's accounts do")
    func emulated() async throws {
        let server = try await TestServer.start(mode: .development, project: TestServer.emailProject())
        let planted = try await plant(.disabled, on: server)
        let token = try server.oidcToken("owner", TestServer.email(Self.victim))
        #expect(try await server.signIn("oidc.test", token).errorMessage == "USER_DISABLED")
        let own = try await server.signUp("own@example.com")
        let body: JSONValue = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(own.idToken), "newEmail": .string(Self.victim),
        ]
        #expect(try await server.call("sendOobCode", body).errorMessage == "EMAIL_EXISTS")
        #expect(try await holder(on: server)?["localId"]?.string == planted.localID)
    }
}
