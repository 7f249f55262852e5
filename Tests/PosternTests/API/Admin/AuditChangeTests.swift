import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("The audit trail says what changed", .teardown, .timeLimit(.minutes(15)))
struct AuditChangeTests {
    private static func claims(_ text: String, of user: String) -> JSONValue {
        ["localId": .string(user), "customAttributes": .string(text)]
    }

    /// Changes a user, and returns what the record of it says.
    private func changed(_ server: TestServer, _ body: JSONValue) async throws -> JSONValue? {
        server.clock.advance(by: .seconds(1))
        let answer = try await server.callAsAdmin("update", body)
        #expect(answer.status == 200, "\(answer.json)")
        return try await server.auditDetails("update").last?["changed"]
    }

    @Test("of flags the new value, and nothing where nothing changed", arguments: Engine.allCases)
    func flags(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        #expect(try await server.admin("accounts", ["localId": "u", "email": "u@example.com"]).status == 200)
        #expect(try await changed(server, ["localId": "u", "disableUser": true]) == ["disabled": true])
        #expect(try await changed(server, ["localId": "u", "disableUser": true]) == nil)
        let both: JSONValue = ["localId": "u", "disableUser": false, "emailVerified": true]
        #expect(try await changed(server, both) == ["disabled": false, "emailVerified": true])
        #expect(try await changed(server, ["localId": "u", "displayName": "U"]) == nil)
    }

    @Test("of claims a digest before and after, by which neither values nor equal users are known")
    func claims() async throws {
        let server = try await TestServer.start()
        for user in ["u", "v"] { #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200) }
        let first = try #require(try await changed(server, Self.claims(#"{"role":"clerk"}"#, of: "u"))?["claims"])
        #expect(first["before"] == .null && first["after"]?.string?.count == 32)
        let second = try #require(try await changed(server, Self.claims(#"{"role":"admin"}"#, of: "u"))?["claims"])
        #expect(second["before"] == first["after"] && second["after"] != first["after"])
        let third = try #require(try await changed(server, Self.claims(#"{"role":"clerk"}"#, of: "u"))?["claims"])
        #expect(third["after"] == first["after"])
        let other = try #require(try await changed(server, Self.claims(#"{"role":"clerk"}"#, of: "v"))?["claims"])
        #expect(other["after"] != first["after"])
        let details = try await server.auditDetails("update")
        #expect(!details.contains { $0.text.contains("clerk") })
    }

    @Test("of second factors which, without their numbers", arguments: Engine.allCases)
    func factors(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let user: JSONValue = ["localId": "u", "email": "u@example.com", "emailVerified": true]
        #expect(try await server.admin("accounts", user).status == 200)
        let factor: JSONValue = ["mfaEnrollmentId": "first", "phoneInfo": "+16505550101", "displayName": "mine"]
        let added = try await changed(server, ["localId": "u", "mfa": ["enrollments": [factor]]])
        #expect(added == ["factorsAdded": [["id": "first", "kind": "phone"]]])
        let removed = try await changed(server, ["localId": "u", "mfa": ["enrollments": []]])
        #expect(removed == ["factorsRemoved": [["id": "first", "kind": "phone"]]])
        #expect(try await !server.auditDetails("update").contains { $0.text.contains("5550101") })
    }

    @Test("of ways in that are taken away which")
    func waysIn() async throws {
        let server = try await TestServer.start()
        let user: JSONValue = ["localId": "u", "phoneNumber": "+16505550101"]
        #expect(try await server.admin("accounts", user).status == 200)
        #expect(try await server.callAsAdmin("update", ["localId": "u", "deleteProvider": ["phone"]]).status == 200)
        #expect(try await server.auditDetails("update").last?["providers"] == ["phone"])
    }

    @Test("of imports, also of those that replace an account", arguments: Engine.allCases)
    func imports(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let factor: JSONValue = ["mfaEnrollmentId": "first", "phoneInfo": "+16505550101"]
        let user: JSONValue = ["localId": "u", "email": "u@example.com", "emailVerified": true]
        func importing(_ more: JSONValue) async throws -> JSONValue? {
            server.clock.advance(by: .seconds(1))
            let body: JSONValue = ["users": .array([user.merging(more)]), "allowOverwrite": true]
            #expect(try await server.admin("accounts:batchCreate", body)["error"] == nil)
            return try await server.auditDetails("import").last?["changed"]
        }
        let new = try await importing(["customAttributes": #"{"role":"clerk"}"#, "disabled": true])
        #expect(new?["disabled"] == true && new?["emailVerified"] == true)
        let clerk = try #require(new?["claims"]?["after"]?.string)
        #expect(new?["claims"]?["before"] == .null)
        let replaced = try await importing(["customAttributes": #"{"role":"admin"}"#, "mfaInfo": .array([factor])])
        #expect(replaced?["disabled"] == false && replaced?["emailVerified"] == nil)
        #expect(replaced?["claims"]?["before"] == .string(clerk) && replaced?["claims"]?["after"] != .string(clerk))
        #expect(replaced?["factorsAdded"]?[0]?["kind"] == "phone")
        // The digests are those of updates.
        let back = try await changed(server, Self.claims(#"{"role":"clerk"}"#, of: "u"))
        #expect(back?["claims"] == ["before": replaced?["claims"]?["after"] ?? .null, "after": .string(clerk)])
        for event in ["import", "update"] {
            #expect(try await !server.auditDetails(event).contains { $0.text.contains("clerk") || $0.text.contains("5550101") })
        }
    }

    @Test("of what functions make of an account that signs up or in", arguments: Engine.allCases)
    func functions(engine: Engine) async throws {
        let hooked = try await HookedServer.start(["beforeCreate", "beforeSignIn"], on: engine)
        let server = hooked.server
        func signIn() async throws -> TestClient.Answer {
            // Equal sign-ins within a minute are one record.
            server.clock.advance(by: .seconds(61))
            return try await server.signIn("a@b.c")
        }
        hooked.change("beforeCreate", mask: "customClaims", ["customClaims": ["role": "clerk"]])
        #expect(try await hooked.signUp().status == 200)
        let first = try #require(try await server.auditDetails("signUp").last?["changed"]?["claims"])
        #expect(first["before"] == .null && first["after"]?.string?.count == 32)
        hooked.change("beforeSignIn", mask: "customClaims", ["customClaims": ["role": "admin"]])
        #expect(try await signIn().status == 200)
        let second = try #require(try await server.auditDetails("signIn").last)
        #expect(second["provider"] == "password")
        #expect(second["changed"]?["claims"]?["before"] == first["after"])
        #expect(second["changed"]?["claims"]?["after"] != first["after"])
        #expect(try await signIn().status == 200)
        #expect(try await server.auditDetails("signIn").last == ["provider": "password"])
        hooked.change("beforeSignIn", mask: "disabled", ["disabled": true])
        #expect(try await signIn().errorMessage == "USER_DISABLED")
        #expect(try await server.auditDetails("disabledByFunction") == [["changed": ["disabled": true]]])
    }
}
