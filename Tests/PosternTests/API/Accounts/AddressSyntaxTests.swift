import Foundation
import Project
import TestKit
import Testing

@Suite("An e-mail address is what the mode says it is", .teardown)
struct AddressSyntaxTests {
    private static let odd = ["a b@c", "A..b@c_d", "\"x\"@[127.0.0.1]", "ä@ö", "a@b\r\nBcc: c"]
    private static let none = ["a", "a@", "@b", "a@b@c"]

    @Test("in development one @ with something on both sides is enough, wherever a client writes it")
    func lenient() async throws {
        let server = try await TestServer.startEmulator()
        for address in Self.odd {
            let session = try await server.signUp(address)
            let lower = JSONValue.string(address.lowercased())
            #expect(try await server.account(session)["email"] == lower)
            #expect(try await server.signIn(address)["email"] == lower)
            let methods = try await server.call(
                "createAuthUri",
                ["identifier": .string(address), "continueUri": "http://localhost"]
            )
            #expect(methods["registered"] == true)
            let changed: JSONValue = ["idToken": .string(session.idToken), "email": .string("new " + address)]
            #expect(try await server.call("update", changed)["email"]?.string == "new " + address.lowercased())
            let admin: JSONValue = ["email": .string("admin " + address)]
            #expect(try await server.callAsAdmin("signUp", admin)["email"]?.string == "admin " + address.lowercased())
            let claims: JSONValue = ["sub": .string(address), "email": .string("idp " + address)]
            #expect(try await server.signIn("google.com", claims.text)["email"]?.string == "idp " + address.lowercased())
        }
        let unstorable: JSONValue = ["sub": "n", "email": "a\u{0}b@c"]
        #expect(try await server.signIn("google.com", unstorable.text)["isNewUser"] == true)
        for address in Self.none {
            let body: JSONValue = ["email": .string(address), "password": "secret-1"]
            for method in ["signUp", "signInWithPassword"] {
                #expect(try await server.call(method, body).errorMessage == "INVALID_EMAIL", "\(address)")
            }
        }
    }

    @Test("codes are made for such an address, and no message leaves for it")
    func codes() async throws {
        let server = try await TestServer.startEmulator()
        for address in Self.odd + Self.none {
            let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": .string(address), "continueUrl": "http://localhost"]
            let sent = try await server.call("sendOobCode", body)
            #expect(sent.status == 200, "\(address): \(sent.errorMessage ?? "")")
            let listed = try await server.client.get("/emulator/v1/projects/demo-test/oobCodes")["oobCodes"]?.array?.last
            #expect(listed?["email"]?.string == address.lowercased())
            guard Self.odd.contains(address) else { continue }
            let code = try #require(listed?["oobCode"])
            let link = try await server.call("signInWithEmailLink", ["email": .string(address), "oobCode": code])
            #expect(link["isNewUser"] == true)
            let session = try server.session(link)
            for type in ["VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL", "PASSWORD_RESET"] {
                let code: JSONValue = [
                    "requestType": .string(type), "idToken": .string(session.idToken), "email": .string(address),
                    "newEmail": .string("new " + address),
                ]
                #expect(try await server.call("sendOobCode", code).status == 200, "\(type) \(address)")
            }
        }
        #expect(!server.log.lines.contains { $0.hasPrefix("Bcc:") || $0.hasPrefix("error ") })
    }

    @Test("production takes plain addresses alone")
    func strict() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        for address in Self.odd + Self.none {
            let body: JSONValue = ["email": .string(address), "password": "secret-1"]
            for method in ["signUp", "signInWithPassword"] {
                #expect(try await server.call(method, body).errorMessage == "INVALID_EMAIL", "\(address)")
            }
        }
    }

    @Test("a local part over 64 bytes and a host that is a number are nothing that messages are sent to, and nothing new")
    func unreachable() async throws {
        let environment = ["POSTERN_EMAIL_FROM": "noreply@example.com"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        let session = try await server.signUp("c@example.com")
        let longest = String(repeating: "a", count: 64)
        for address in ["a\(longest)@example.com", "a@127.0.0.1", "a@1", "a@example.1", "a@0x7f000001"] {
            let body: JSONValue = ["email": .string(address), "password": "secret-1"]
            #expect(try await server.call("signUp", body).errorMessage == "INVALID_EMAIL", "\(address)")
            let move: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(session.idToken), "newEmail": .string(address),
            ]
            #expect(try await server.call("sendOobCode", move).errorMessage == "INVALID_NEW_EMAIL", "\(address)")
            let link: JSONValue = [
                "requestType": "EMAIL_SIGNIN", "email": .string(address), "continueUrl": "https://app.example.com/",
            ]
            let refused = try await server.call("sendOobCode", link).errorMessage
            #expect(refused?.hasPrefix("INVALID_") == true, "\(address)")
            // A user who already has such an address signs in with it.
            let user: JSONValue = ["email": .string(address), "password": "secret-1"]
            #expect(try await server.callAsAdmin("signUp", user).status == 200, "\(address)")
            #expect(try await server.signIn(address).status == 200, "\(address)")
        }
        _ = try await server.signUp("\(longest)@example.com")
    }

    @Test("in production two dots in a row are no new address, and go on working where they came from elsewhere")
    func twoDots() async throws {
        let address = "a..b@example.com"
        let server = try await TestServer.start(project: TestServer.emailProject())
        let body: JSONValue = ["email": .string(address), "password": "secret-1"]
        #expect(try await server.call("signUp", body).errorMessage == "INVALID_EMAIL")
        let other = try await server.signUp("c@example.com")
        let change: JSONValue = ["idToken": .string(other.idToken), "email": .string(address)]
        #expect(try await server.call("update", change).errorMessage == "INVALID_EMAIL")
        let move: JSONValue = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(other.idToken), "newEmail": .string(address),
        ]
        #expect(try await server.call("sendOobCode", move).errorMessage == "INVALID_NEW_EMAIL")

        let imported: JSONValue = ["users": [["localId": "old", "email": .string(address), "emailVerified": true]]]
        #expect(try await server.admin("accounts:batchCreate", imported)["error"] == nil)
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(address)])
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
        #expect(try await server.signIn(address, password: "secret-2")["localId"] == "old")
        let link = try await server.code(
            "EMAIL_SIGNIN",
            ["email": .string(address), "continueUrl": "https://app.example.com/", "canHandleCodeInApp": true]
        )
        let shown: JSONValue = ["email": .string(address), "oobCode": .string(link)]
        #expect(try await server.call("signInWithEmailLink", shown)["localId"] == "old")
    }
}
