import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// Things that an attacker may have set up or begun on an account before its rightful owner comes. A new kind is one more case.
enum Planted: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case recoverCode, revertCode, resetCode, linkCode, verifyCode, changeCode
    case pendingToken, pendingFactor, flow, temporaryProof, passkeyChallenge, totpSession, smsEnrollment
    case password, provider, passkey, secondFactor, phoneNumber, session, customToken

    var testDescription: String { rawValue }

    /// Tries to use the planted thing.
    ///
    /// Returns whether it still opens or changes the account.
    typealias Trial = @Sendable () async throws -> Bool

    /// Plants one of them.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - account: The account, with a session of the attacker.
    ///   - email: The account's address.
    func plant(on server: TestServer, _ account: TestServer.Session, _ email: String) async throws -> Trial {
        let ground = PlantingGround(server: server, account: account, email: email)
        let token: JSONValue = ["idToken": .string(account.idToken)]
        switch self {
        case .recoverCode: return try await ground.stored(.recoverEmail, of: "attacker@evil.example")
        case .revertCode:
            try await ground.addFactor()
            return try await ground.stored(.revertSecondFactorAddition, of: "attacker@evil.example")
        case .resetCode:
            let code = try await server.code("PASSWORD_RESET", ["email": .string(email)])
            return {
                try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "planted-2"]).status == 200
            }
        case .linkCode:
            let code = try await server.code(
                "EMAIL_SIGNIN",
                ["email": .string(email), "continueUrl": "https://app.example.com/"]
            )
            return {
                let body: JSONValue = ["email": .string(email), "oobCode": .string(code)]
                return try await ground.opens(server.call("signInWithEmailLink", body))
            }
        case .verifyCode:
            let code = try await server.code("VERIFY_EMAIL", token)
            return { try await server.call("update", ["oobCode": .string(code)]).status == 200 }
        case .changeCode:
            let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", token.merging(["newEmail": "later@evil.example"]))
            return { try await server.call("update", ["oobCode": .string(code)]).status == 200 }
        case .pendingToken:
            let answer = try await ground.linkProvider(nonce: "planted nonce \(account.localID)")
            let pending = try #require(answer["pendingToken"])
            return {
                let body: JSONValue = ["requestUri": "http://localhost", "pendingToken": pending]
                return try await ground.opens(server.call("signInWithIdp", body))
            }
        case .pendingFactor:
            try await ground.addFactor()
            let pending = try #require(try await server.signIn(email)["mfaPendingCredential"])
            return { try await ground.showFactor(pending) }
        case .flow:
            _ = try await ground.linkProvider()
            let flow = try await server.begin("oidc.other")
            return {
                let claims: JSONValue = ["nonce": .string(flow.query["nonce"] ?? "")]
                let form = [("state", flow.query["state"] ?? ""), ("id_token", try ground.otherToken(claims))]
                let body: JSONValue = [
                    "requestUri": .string("\(FlowServer.redirect)#\(TestClient.encode(form))"),
                    "sessionId": .string(flow.sessionID),
                ]
                return try await ground.opens(server.call("signInWithIdp", body))
            }
        case .temporaryProof:
            try await ground.linkPhone()
            let other = try server.session(try await server.call("signUp", [:]))
            let sent = try await server.sendCode(TestServer.testNumber)
            let answer = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode, other.token)
            let proof = try #require(answer["temporaryProof"], "\(answer.json)")
            return {
                let body: JSONValue = ["temporaryProof": proof, "phoneNumber": .string(TestServer.testNumber)]
                return try await ground.opens(server.call("signInWithPhoneNumber", body))
            }
        case .passkeyChallenge:
            let challenge = try await ground.passkeyChallenge()
            return { try await ground.register(SoftwareAuthenticator(), challenge).status == 200 }
        case .totpSession:
            let started = try await ground.asVerified {
                try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
            }
            let info = try #require(started["totpSessionInfo"], "\(started.json)")
            let app = try #require(AuthenticatorApp(sharedSecretKey: info["sharedSecretKey"]?.string ?? ""))
            return {
                let shown: JSONValue = [
                    "sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(app.code(at: server.clock.now)),
                ]
                let body = token.merging(["totpVerificationInfo": shown])
                return try await server.callV2("mfaEnrollment:finalize", body).status == 200
            }
        case .smsEnrollment:
            let started = try await ground.asVerified {
                let info: JSONValue = ["phoneNumber": .string(TestServer.testNumber)]
                return try await server.callV2("mfaEnrollment:start", token.merging(["phoneEnrollmentInfo": info]))
            }
            let info = try #require(started["phoneSessionInfo"]?["sessionInfo"], "\(started.json)")
            return {
                let shown: JSONValue = ["sessionInfo": info, "code": .string(TestServer.testNumberCode)]
                let body = token.merging(["phoneVerificationInfo": shown])
                return try await server.callV2("mfaEnrollment:finalize", body).status == 200
            }
        case .password:
            return {
                if try await server.signIn(email).status == 200 { return true }
                return try await ground.opensMoved()
            }
        case .provider:
            _ = try await ground.linkProvider()
            return { try await ground.opens(server.signIn("oidc.other", ground.otherToken())) }
        case .passkey:
            let authenticator = SoftwareAuthenticator()
            let made = try await ground.register(authenticator, ground.passkeyChallenge())
            #expect(made.status == 200, "\(made.json)")
            return { try await ground.signIn(authenticator) }
        case .secondFactor:
            try await ground.addFactor()
            return { try await server.user(account.localID)?["mfaInfo"]?.array?.isEmpty == false }
        case .phoneNumber:
            try await ground.linkPhone()
            return {
                let sent = try await server.sendCode(TestServer.testNumber)
                return try await ground.opens(server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode))
            }
        case .customToken:
            let minter = try await CustomTokenTests.Minter(on: server)
            let signIn: @Sendable () async throws -> TestClient.Answer = {
                try await server.call("signInWithCustomToken", ["token": .string(try minter.token(account.localID))])
            }
            #expect(try await ground.opens(signIn()))
            // The project's server goes on signing its user in, but not to the account of the proven address.
            return { try await server.account(server.session(try await signIn()))["emailVerified"] == true }
        case .session: return { try await server.refresh(account.refreshToken).status == 200 }
        }
    }
}

/// The account that things are planted on.
struct PlantingGround: Sendable {
    let server: TestServer
    let account: TestServer.Session
    let email: String

    static let rpID = "example.com"
    static let origin = "https://app.example.com"
    static let scope = Scope(projectID: "demo-test")

    /// Whether an answer contains a session of the account.
    func opens(_ answer: TestClient.Answer) throws -> Bool {
        guard answer.status == 200, let idToken = answer["idToken"]?.string else { return false }
        return try server.payload(idToken)["sub"] == .string(account.localID)
    }

    /// Whether the account's password still works with its current address.
    func opensMoved() async throws -> Bool {
        guard let email = try await server.user(account.localID)?["email"]?.string else { return false }
        return try await opens(server.signIn(email))
    }

    /// Changes the account directly in the store, as earlier versions might have left it.
    func rewrite(_ change: @escaping @Sendable (inout AccountRecord) -> Void) async throws {
        let localID = account.localID
        try await server.core.database.write { transaction in
            guard var stored = try transaction.account(Self.scope, localID: localID) else { return }
            change(&stored)
            try transaction.updateAccount(Self.scope, stored)
        }
    }

    /// Runs an operation that requires a proven address, and then restores the account's flag.
    func asVerified<T>(_ body: () async throws -> T) async throws -> T {
        let wasVerified = try await server.user(account.localID)?["emailVerified"] == true
        try await rewrite { $0.emailVerified = true }
        let result = try await body()
        try await rewrite { $0.emailVerified = wasVerified }
        return result
    }

    func addFactor() async throws {
        let now = server.clock.now
        let factor = SecondFactor(
            enrollmentID: "planted",
            displayName: nil,
            enrolledAt: now,
            kind: .phone(number: TestServer.testNumber)
        )
        try await rewrite { $0.secondFactors = [factor] }
    }

    func showFactor(_ pending: JSONValue) async throws -> Bool {
        let start: JSONValue = ["mfaPendingCredential": pending, "mfaEnrollmentId": "planted", "phoneSignInInfo": [:]]
        let started = try await server.callV2("mfaSignIn:start", start)
        guard let info = started["phoneResponseInfo"]?["sessionInfo"] else { return false }
        let shown: JSONValue = ["sessionInfo": info, "code": .string(TestServer.testNumberCode)]
        let body: JSONValue = ["mfaPendingCredential": pending, "phoneVerificationInfo": shown]
        return try await opens(server.callV2("mfaSignIn:finalize", body))
    }

    /// A code that an earlier version may have stored, also of kinds that are no longer made.
    func stored(_ type: OOBRequestType, of address: String) async throws -> Planted.Trial {
        let (server, code, now, localID) = (
            server, "planted-\(type.rawValue)-\(account.localID)", server.clock.now, account.localID
        )
        var record = OOBCodeRecord(
            hash: sha256(code.utf8),
            type: type,
            email: address,
            createdAt: now,
            expiresAt: now.advanced(by: .seconds(86_400))
        )
        record.localID = localID
        if type == .recoverEmail { record.newEmail = email }
        if type == .revertSecondFactorAddition { record.enrollmentID = "planted" }
        try await server.core.database.write { [record] in try $0.insertOOBCode(Self.scope, record) }
        return { try await server.call("update", ["oobCode": .string(code)]).status == 200 }
    }

    func otherToken(_ overrides: JSONValue = [:]) throws -> String {
        try server.provider.token(server.claims("other", "other-client", "planter-\(account.localID)", overrides))
    }

    func linkProvider(nonce: String? = nil) async throws -> TestClient.Answer {
        let token = try otherToken(nonce.map { ["nonce": .string($0)] } ?? [:])
        let answer = try await server.signIn("oidc.other", token, nonce: nonce, ["idToken": .string(account.idToken)])
        #expect(try opens(answer), "\(answer.json)")
        return answer
    }

    func linkPhone() async throws {
        let sent = try await server.sendCode(TestServer.testNumber)
        let body: JSONValue = ["idToken": .string(account.idToken)]
        let answer = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode, body)
        #expect(try opens(answer), "\(answer.json)")
    }

    func passkeyChallenge() async throws -> String {
        let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(account.idToken)])
        return try #require(started["credentialCreationOptions"]?["challenge"]?.string, "\(started.json)")
    }

    func register(_ authenticator: SoftwareAuthenticator, _ challenge: String) async throws -> TestClient.Answer {
        let ceremony = SoftwareAuthenticator.Ceremony(origin: Self.origin, relyingPartyID: Self.rpID)
        return try await server.callV2(
            "passkeyEnrollment:finalize",
            [
                "idToken": .string(account.idToken),
                "authenticatorRegistrationResponse": try authenticator.register(challenge, ceremony),
            ]
        )
    }

    func signIn(_ authenticator: SoftwareAuthenticator) async throws -> Bool {
        let started = try await server.callV2("passkeySignIn:start", [:])
        let challenge = try #require(started["credentialRequestOptions"]?["challenge"]?.string)
        let ceremony = SoftwareAuthenticator.Ceremony(origin: Self.origin, relyingPartyID: Self.rpID)
        let response = try authenticator.assert(challenge, ceremony)
        return try await opens(server.callV2("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": response]))
    }
}
