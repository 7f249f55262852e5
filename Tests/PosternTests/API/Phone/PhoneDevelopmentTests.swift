import Project
import TestKit
import Testing

@Suite("Phone sign-in in development mode", .teardown, .timeLimit(.minutes(15)))
struct PhoneDevelopmentTests {
    private func listed(_ server: TestServer, _ place: String = "demo-test") async throws -> [JSONValue] {
        let answer = try await server.client.get("/emulator/v1/projects/\(place)/verificationCodes")
        #expect(answer.status == 200)
        #expect(answer.json.object?.keys.sorted() == ["verificationCodes"])
        return try #require(answer["verificationCodes"]?.array)
    }

    @Test("codes are listed and logged, every request has its own, nothing is proven or sent")
    func codes() async throws {
        let server = try await TestServer.start(mode: .development)
        #expect(try await listed(server).isEmpty)
        var infos: [JSONValue?] = []
        for number in ["+1555", "+1555", "+15555550101"] {
            infos.append(try await server.sendCode(number, ["recaptchaToken": "ignored"])["sessionInfo"])
        }
        let codes = try await listed(server)
        #expect(codes.map { $0["phoneNumber"] } == ["+1555", "+1555", "+15555550101"])
        #expect(codes.map { $0["sessionInfo"] } == infos)
        #expect(Set(infos.compactMap { $0?.string }).count == 3)
        for entry in codes {
            #expect(entry.object?.keys.sorted() == ["code", "phoneNumber", "sessionInfo"])
            let code = try #require(entry["code"]?.string)
            #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
            let line = "To verify the phone number \(entry["phoneNumber"]?.string ?? ""), use the code \(code)."
            #expect(server.log.lines.contains { $0.contains(line) })
        }
        server.clock.advance(by: .seconds(86_400))
        let code = try #require(codes[0]["code"]?.string)
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 0..<8 { #expect(try await server.signInWithPhone(infos[0], wrong).errorMessage == "INVALID_CODE") }
        #expect(try await server.signInWithPhone(infos[0], code).status == 200)
        #expect(try await listed(server).count == 2)
        for number in ["15555550100", ""] {
            #expect(try await server.sendCode(number).errorMessage == "INVALID_PHONE_NUMBER : Invalid format.")
        }
        #expect(try await listed(server, "demo-test/tenants/fresh").isEmpty)
    }

    @Test("answers under the names that the iOS SDK calls")
    func legacyNames() async throws {
        let server = try await TestServer.start(mode: .development)
        func legacy(_ name: String, _ body: JSONValue) async throws -> TestClient.Answer {
            try await server.client.post("/www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=k", body)
        }
        let sent = try await legacy("sendVerificationCode", ["phoneNumber": "+15555550100"])
        let code = try #require(try await listed(server).last?["code"])
        let body: JSONValue = ["sessionInfo": sent["sessionInfo"] ?? .null, "code": code, "operation": "SIGN_UP_OR_IN"]
        #expect(try await legacy("verifyPhoneNumber", body).status == 200)
        let client = try await legacy("verifyClient", ["appToken": "AB12"])
        #expect(client["receipt"]?.string?.isEmpty == false)
        #expect(client["suggestedTimeout"]?.string.flatMap(Int.init) != nil)
        #expect(try await legacy("verifyClient", [:]).errorMessage == "MISSING_IOS_APP_TOKEN")
    }

    @Test("a temporary proof never expires and can be shown again")
    func temporaryProof() async throws {
        let server = try await TestServer.start(mode: .development)
        func prove(_ extra: JSONValue = [:]) async throws -> TestClient.Answer {
            let sent = try await server.sendCode("+15555550100")
            let code = try #require(try await listed(server).last?["code"]?.string)
            return try await server.signInWithPhone(sent["sessionInfo"], code, extra)
        }
        let owner = try server.session(try await prove(["operation": "REAUTH"]))
        let other = try server.session(try await server.call("signUp", [:]))
        let collision = try await prove(other.token)
        server.clock.advance(by: .seconds(1_000_000))
        for _ in 0..<2 {
            let body: JSONValue = ["temporaryProof": collision["temporaryProof"] ?? .null, "phoneNumber": "+15555550100"]
            #expect(try server.session(try await server.call("signInWithPhoneNumber", body)).localID == owner.localID)
        }
    }

    @Test("production has no list of codes")
    func production() async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject())
        for path in ["demo-test", "demo-test/tenants/acme"] {
            let answer = try await server.client.get("/emulator/v1/projects/\(path)/verificationCodes")
            #expect(answer.status == 404)
            #expect(answer.errorMessage == "Not Found")
        }
    }
}
