import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("While a blocking function thinks", .teardown, .timeLimit(.minutes(15)))
struct BlockingFunctionRaceTests {
    private typealias Reply = LoopbackService.Reply

    @Test("racing sign-ins of one identity end in one account", arguments: Engine.allCases)
    func race(engine: Engine) async throws {
        let hooked = try await HookedServer.start(["beforeCreate", "beforeSignIn"], on: engine)
        let server = hooked.server
        hooked.change("beforeCreate", mask: "displayName", ["displayName": "Named"])
        let localIDs = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<12 {
                tasks.addTask {
                    try server.session(try await server.signIn("oidc.test", try server.oidcToken("o"))).localID
                }
            }
            return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(localIDs.count == 1)
        #expect(try await hooked.accounts() == 1)
        let user = try await server.user(try #require(localIDs.first))
        #expect(user?["displayName"] == "Named")
    }

    @Test("nobody else is asked about: a taken address is refused before any call")
    func takenAddress() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        _ = try await hooked.signUp()
        #expect(hooked.asked == ["beforeCreate"])
        #expect(try await hooked.signUp().errorMessage == "EMAIL_EXISTS")
        #expect(hooked.asked.count == 1)
    }

    @Test("it may call back about the same user")
    func callsBack() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let server = hooked.server
        hooked.functions.reply { call in
            let claims = call.json["data"]?["jwt"]?.string.flatMap { try? server.payload($0) }
            let localID = claims?["sub"] ?? .null
            let answer = try? await server.callAsAdmin("update", ["localId": localID, "customAttributes": "{\"seen\":true}"])
            return Reply(json: ["userRecord": ["updateMask": "displayName", "displayName": .string("\(answer?.status ?? 0)")]])
        }
        let session = try server.session(try await hooked.signUp())
        let account = try await server.account(session)
        #expect(account["displayName"] == "200")
        #expect(try server.payload(session.idToken)["seen"] == true)
    }

    @Test("a disabled, deleted or expelled user does not get in", arguments: ["disable", "delete", "password"])
    func change(how: String) async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let server = hooked.server
        let session = try server.session(try await hooked.signUp())
        let localID = JSONValue.string(session.localID)
        server.clock.advance(by: .seconds(5))
        hooked.functions.reply { _ in
            switch how {
            case "disable": _ = try? await server.callAsAdmin("update", ["localId": localID, "disableUser": true])
            case "delete": _ = try? await server.callAsAdmin("delete", ["localId": localID])
            default: _ = try? await server.callAsAdmin("update", ["localId": localID, "password": "secret-2"])
            }
            return Reply(json: [:])
        }
        let expected = ["disable": "USER_DISABLED", "delete": "INVALID_PASSWORD", "password": "INVALID_PASSWORD"]
        #expect(try await server.signIn("a@b.c").errorMessage == expected[how])
    }

    @Test("a slow beforeCreate was told the time at which the account is made")
    func creationTime() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        let server = hooked.server
        hooked.functions.reply { _ in
            server.clock.advance(by: .seconds(3))
            return Reply(json: [:])
        }
        let session = try server.session(try await hooked.signUp())
        let account = try await server.account(session)
        let metadata = try hooked.claims(0)["user_record"]?["metadata"]
        #expect(account["createdAt"]?.string == metadata?["creation_time"]?.text)
        #expect(account["lastLoginAt"]?.string == String(server.clock.now.milliseconds))
    }
}
