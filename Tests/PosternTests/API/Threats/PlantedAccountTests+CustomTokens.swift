import Project
import TestKit
import Testing

@testable import Server

// The project's own server signs a person in to a user of its choice, whose user then takes an address that is not theirs.
extension PlantedAccountTests {
    /// How an attacker gives the address to the account.
    enum Planting: CaseIterable {
        case password, unverifiedProvider
    }

    /// An attacker's account that an application server signs in.
    private struct Attacker {
        static let uid = "kakao:666"
        let server: TestServer
        let minter: CustomTokenTests.Minter

        init(on server: TestServer) async throws {
            self.server = server
            minter = try await CustomTokenTests.Minter(on: server)
        }

        func signIn() async throws -> TestServer.Session {
            let answer = try await server.call("signInWithCustomToken", ["token": .string(try minter.token(Self.uid))])
            let session = try server.session(answer)
            #expect(session.localID == Self.uid)
            return session
        }

        /// Takes the victim's address, and answers the session afterwards.
        func plant(_ way: Planting) async throws -> TestServer.Session {
            let token: JSONValue = ["idToken": .string(try await signIn().idToken)]
            switch way {
            case .password:
                let password: JSONValue = ["email": .string(PlantedAccountTests.victim), "password": "planted"]
                return try server.session(try await server.call("signUp", token.merging(password)))
            case .unverifiedProvider:
                let email = TestServer.email(PlantedAccountTests.victim, verified: false)
                return try server.session(try await server.signIn("oidc.test", server.oidcToken("a", email), token))
            }
        }
    }

    private func holder(on server: TestServer) async throws -> JSONValue? {
        try await server.admin("accounts:lookup", ["email": [.string(Self.victim)]])["users"]?[0]
    }

    @Test(
        "and signed in by custom tokens gives the address up: nobody shares the owner's account (LNK-17)",
        arguments: Engine.allCases,
        Proof.allCases
    )
    func customToken(engine: Engine, proof: Proof) async throws {
        for way in Planting.allCases {
            let server = try await start(on: engine)
            let attacker = try await Attacker(on: server)
            let planted = try await attacker.plant(way)
            let code = try await server.code("VERIFY_EMAIL", ["idToken": .string(planted.idToken)])
            try await prove(proof, on: server)
            let owner = try #require(try await holder(on: server))
            #expect(owner["localId"]?.string != Attacker.uid)
            #expect(owner["emailVerified"] == true)
            #expect(try await server.refresh(planted.refreshToken).status == 400)
            #expect(try await server.call("lookup", ["idToken": .string(planted.idToken)]).status == 400)
            #expect(try await server.signIn(Self.victim, password: "planted").status == 400)
            #expect(try await server.call("update", ["oobCode": .string(code)]).status == 400)
            // The application server's user is still there, without the address, and cannot have it again.
            let session = try await attacker.signIn()
            let account = try await server.account(session)
            #expect(account["email"] == nil)
            #expect(account["emailVerified"]?.bool != true)
            #expect(try server.payload(session.idToken)["email"] == nil)
            let again: JSONValue = ["idToken": .string(session.idToken), "email": .string(Self.victim), "password": "planted"]
            #expect(try await server.call("signUp", again).status == 400)
            #expect(try await server.auditTrail().contains(["releaseEmail", "user", Attacker.uid]))
            #expect(try await holder(on: server)?["localId"] == owner["localId"])
        }
    }

    @Test("is no stranger's when its own user proves the address: custom tokens and everything else stay (ruling 36)")
    func ownAddress() async throws {
        for byLink in [false, true] {
            let server = try await start()
            let user = try await Attacker(on: server)
            let session = try await user.plant(.password)
            if byLink {
                let mail: JSONValue = ["email": .string(Self.victim), "continueUrl": "https://app.example.com/"]
                let code = try await server.code("EMAIL_SIGNIN", mail)
                let link: JSONValue = [
                    "email": .string(Self.victim), "oobCode": .string(code), "idToken": .string(session.idToken),
                ]
                #expect(try server.session(try await server.call("signInWithEmailLink", link)).localID == Attacker.uid)
            } else {
                let code = try await server.code("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
                #expect(try await server.call("update", ["oobCode": .string(code)]).status == 200)
            }
            try await prove(.provider, on: server)
            #expect(try await holder(on: server)?["localId"]?.string == Attacker.uid)
            #expect(try await server.account(try await user.signIn())["emailVerified"] == true)
            #expect(try server.session(try await server.signIn(Self.victim, password: "planted")).localID == Attacker.uid)
        }
    }

    @Test("keeps the address where its owner may not sign up, disabled or not: nothing changes", arguments: [true, false])
    func refused(isDisabled: Bool) async throws {
        let refusal = "ADMIN_ONLY_OPERATION"
        let server = try await start(more: "client: {permissions: {disabledUserSignup: true}}")
        #expect(try await server.callAsAdmin("signUp", ["localId": .string(Attacker.uid)]).status == 200)
        let attacker = try await Attacker(on: server)
        let planted = try await attacker.plant(.password)
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.victim)])
        let mail: JSONValue = ["email": .string(Self.victim), "continueUrl": "https://app.example.com/"]
        let link = try await server.code("EMAIL_SIGNIN", mail)
        if isDisabled {
            #expect(
                try await server.callAsAdmin("update", ["localId": .string(Attacker.uid), "disableUser": true]).status == 200
            )
        }
        let token = try server.oidcToken("v", TestServer.email(Self.victim))
        let linked: JSONValue = ["email": .string(Self.victim), "oobCode": .string(link)]
        let change: JSONValue = ["oobCode": .string(reset), "newPassword": "of the victim"]
        #expect(try await server.signIn("oidc.test", token).errorMessage == refusal)
        #expect(try await server.call("signInWithEmailLink", linked).errorMessage == refusal)
        #expect(try await server.call("resetPassword", change).errorMessage == refusal)
        #expect(try await holder(on: server)?["localId"]?.string == Attacker.uid)
        if !isDisabled { #expect(try await server.refresh(planted.refreshToken).status == 200) }
    }

    @Test("is replaced only by an account that beforeCreate allows", arguments: Proof.allCases)
    func function(proof: Proof) async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        let server = hooked.server
        _ = try await Attacker(on: server).plant(.password)
        #expect(hooked.asked.isEmpty)
        hooked.answer("beforeCreate", .init(403, json: ["error": ["message": "no"]]))
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.victim)])
        let change: JSONValue = ["oobCode": .string(reset), "newPassword": "of the victim"]
        let token = try server.oidcToken("v", TestServer.email(Self.victim))
        let refused = try await proof == .reset ? server.call("resetPassword", change) : server.signIn("oidc.test", token)
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true, "\(refused.json)")
        #expect(try await holder(on: server)?["localId"]?.string == Attacker.uid)
        hooked.change("beforeCreate", mask: "customClaims", ["customClaims": ["role": "seen"]])
        try await prove(proof, on: server)
        let owner = try #require(try await holder(on: server))
        #expect(owner["localId"]?.string != Attacker.uid)
        #expect(owner["customAttributes"]?.string == #"{"role":"seen"}"#)
        #expect(hooked.asked == ["beforeCreate", "beforeCreate"])
    }

    @Test("is taken over in development, as by the emulator", arguments: [Proof.provider, .reset])
    func emulated(proof: Proof) async throws {
        let server = try await start(mode: .development, hidesAccounts: false)
        let token = #"{"uid":"\#(Attacker.uid)"}"#
        let session = try server.session(try await server.call("signInWithCustomToken", ["token": .string(token)]))
        let body: JSONValue = ["idToken": .string(session.idToken), "email": .string(Self.victim), "password": "planted"]
        #expect(try await server.call("signUp", body).status == 200)
        try await prove(proof, on: server)
        #expect(try await holder(on: server)?["localId"]?.string == Attacker.uid)
    }
}
