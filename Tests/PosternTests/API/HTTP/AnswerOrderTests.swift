import Project
import TestKit
import Testing

@Suite("Members of answers", .teardown, .timeLimit(.minutes(15)))
struct AnswerOrderTests {
    @Test("stand where their types declare them, and in two processes alike")
    func development() async throws {
        var outlines: [[String]] = []
        for _ in 0..<2 {
            let directory = try await makeTemporaryDirectory()
            let server = try ServerProcess(["emulator", "--port", "0", "--project", "demo-test"], directory: directory)
            var tour = try await AnswerTour(TestClient(try await server.waitUntilReady()), bearer: "owner")
            try await signIns(&tour)
            try await codes(&tour)
            try await administration(&tour, createsProviders: true)
            try await documents(&tour)
            #expect(tour.surprises == [])
            #expect(tour.disorder == [])
            outlines.append(tour.outlines)
            #expect(await server.terminate() == 0)
        }
        for (one, other) in zip(outlines[0], outlines[1]) { #expect(one == other) }
        #expect(outlines[0].count == outlines[1].count && outlines[0].count > 40)
    }

    @Test("stand where their types declare them in production, too, each time alike")
    func production() async throws {
        let project = TestServer.emailProject(
            "mfa: {state: ENABLED, enabledProviders: [PHONE_SMS]}\n  multiTenant: {allowTenants: true}"
        )
        let server = try await TestServer.start(project: project)
        var tour = try await AnswerTour(server.client, bearer: TestServer.adminToken)
        try await administration(&tour, createsProviders: false)
        try await documents(&tour)
        #expect(tour.surprises == [])
        #expect(tour.disorder == [])
        var again = try await AnswerTour(server.client, bearer: TestServer.adminToken)
        for _ in 0..<5 {
            for path in ["/v2/projects/demo-test/config", "/v2/projects/demo-test/tenants", "/.well-known/jwks.json"] {
                let first = try await again.call(path, isAdministrator: true)
                let second = try await again.call(path, isAdministrator: true)
                #expect(AnswerOrder.outline(first) == AnswerOrder.outline(second))
            }
        }
        #expect(again.surprises == [] && again.disorder == [])
    }

    @Test("are those of a type or of an ordered document: no answer holds a dictionary, whose order is chance")
    func noDictionaries() async throws {
        let server = try await TestServer.start(mode: .development)
        let description = try await server.client.get("/openapi.json").json
        // The storage of a dictionary or set, which the description of an answer's type would name.
        #expect(!description.text.contains("_variant"))
        #expect(description["components"]?["schemas"]?["SignUpResponse"]?["properties"]?["localId"] != nil)
    }

    private func signIns(_ tour: inout AnswerTour) async throws {
        let key = "?key=any"
        let password: JSONValue = ["email": "a@b.c", "password": "secret-1"]
        let user = try await tour.call(
            "/v1/accounts:signUp\(key)",
            password.merging(["mfaInfo": [["phoneInfo": "+15555550100"]]])
        )
        let token: JSONValue = ["idToken": user["idToken"] ?? .null]
        try await tour.call(
            "/v1/accounts:update\(key)",
            token.merging(["displayName": "Ada", "photoUrl": "https://a.example/p"])
        )
        try await tour.call("/v1/accounts:lookup\(key)", token)
        try await tour.call("/v1/accounts:signInWithPassword\(key)", password)
        try await tour.call("/v1/accounts:signUp\(key)", [:])
        try await tour.call("/v1/accounts:createAuthUri\(key)", ["identifier": "a@b.c", "continueUri": "http://localhost"])
        let credential = #"{"sub":"s-1","email":"s@b.c","email_verified":true,"name":"S","picture":"https://a.example/s"}"#
        let identity: JSONValue = [
            "requestUri": "http://localhost", "returnIdpCredential": true, "returnSecureToken": true,
            "postBody": .string(TestClient.encode([("providerId", "google.com"), ("id_token", credential)])),
        ]
        let first = try await tour.call("/v1/accounts:signInWithIdp\(key)", identity)
        try await tour.call("/v1/accounts:signInWithIdp\(key)", identity)
        try await tour.call(
            "/v1/token\(key)",
            form: [("grant_type", "refresh_token"), ("refresh_token", first["refreshToken"]?.string ?? "")]
        )
        try await tour.call("/v1/accounts:lookup\(key)", ["idToken": first["idToken"] ?? .null])
        try await tour.call("/v1/accounts:lookup\(key)", ["idToken": "garbage"], status: 400)
        try await tour.call("/v1/accounts:lookup\(key)", ["idToken": [:]], status: 400)
        try await tour.call("/v1/accounts:nothing\(key)", [:], status: 404)
        try await tour.call("/v1/projects/demo-test/accounts:lookup", ["email": ["a@b.c"]], status: 403)
    }

    private func codes(_ tour: inout AnswerTour) async throws {
        let key = "?key=any"
        for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
            let body: JSONValue = ["requestType": .string(type), "email": "a@b.c", "continueUrl": "http://localhost/x"]
            try await tour.call("/v1/accounts:sendOobCode\(key)", body)
        }
        let listed = try await tour.call("/emulator/v1/projects/demo-test/oobCodes")
        let code = listed["oobCodes"]?.array?.first { $0["requestType"] == "PASSWORD_RESET" }?["oobCode"] ?? .null
        try await tour.call("/v1/accounts:resetPassword\(key)", ["oobCode": code])
        let sent = try await tour.call("/v1/accounts:sendVerificationCode\(key)", ["phoneNumber": "+15555550111"])
        let codes = try await tour.call("/emulator/v1/projects/demo-test/verificationCodes")
        let proof: JSONValue = [
            "sessionInfo": sent["sessionInfo"] ?? .null, "code": codes["verificationCodes"]?[0]?["code"] ?? .null,
        ]
        try await tour.call("/v1/accounts:signInWithPhoneNumber\(key)", proof)
        try await tour.call("/v1/accounts:signInWithPhoneNumber\(key)", proof, status: 400)
    }

    private func administration(_ tour: inout AnswerTour, createsProviders: Bool) async throws {
        let place = "/v2/projects/demo-test"
        try await tour.call("\(place)/config", isAdministrator: true)
        // In another order than the resource has it.
        let config: JSONValue = [
            "smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["US"]]],
            "mfa": ["enabledProviders": ["PHONE_SMS"], "state": "ENABLED"],
            "client": ["permissions": ["disabledUserDeletion": false, "disabledUserSignup": false]],
            "recaptchaConfig": ["managedRules": [["action": "BLOCK", "endScore": 0.5]], "useAccountDefender": false],
            "notification": ["sendEmail": ["resetPasswordTemplate": ["body": "%LINK%", "subject": "s"], "method": "DEFAULT"]],
            "signIn": [
                "phoneNumber": ["testPhoneNumbers": ["+16505553434": "123456"], "enabled": true], "email": ["enabled": true],
            ],
        ]
        try await tour.call(
            "\(place)/config?updateMask=mfa,client.permissions,recaptchaConfig,signIn.phoneNumber",
            config,
            method: "PATCH",
            isAdministrator: true
        )
        try await tour.call("\(place)/config", isAdministrator: true)
        let tenant: JSONValue = [
            "mfaConfig": ["enabledProviders": [], "state": "DISABLED"], "disableAuth": false, "displayName": "Acme-1",
        ]
        let made = try await tour.call("\(place)/tenants", tenant, isAdministrator: true)
        let id = made["name"]?.string?.split(separator: "/").last.map(String.init) ?? ""
        try await tour.call("\(place)/tenants", isAdministrator: true)
        try await tour.call("\(place)/tenants/\(id):getIamPolicy", [:], isAdministrator: true)
        let identity: JSONValue = [
            "clientSecret": "hush", "responseType": ["code": true], "clientId": "c", "issuer": "https://issuer.example",
            "displayName": "O", "enabled": true,
        ]
        if createsProviders {
            try await tour.call("\(place)/oauthIdpConfigs?oauthIdpConfigId=oidc.tour", identity, isAdministrator: true)
            try await tour.call("\(place)/oauthIdpConfigs/oidc.tour", isAdministrator: true)
        }
        try await tour.call("\(place)/oauthIdpConfigs", isAdministrator: true)
        try await tour.call(
            "\(place)/defaultSupportedIdpConfigs?idpId=google.com",
            ["clientSecret": "hush", "clientId": "c", "enabled": true],
            isAdministrator: true
        )
        try await tour.call("\(place)/defaultSupportedIdpConfigs", isAdministrator: true)
        try await tour.call(
            "/v2/projects/demo-test/config",
            ["mfa": ["state": "WRONG"]],
            method: "PATCH",
            isAdministrator: true,
            status: 400
        )
        try await tour.call("\(place)/tenants/nobody/oauthIdpConfigs/oidc.none", isAdministrator: true, status: 404)
        try await tour.call("/v1/projects/demo-test/accounts", ["email": "x@b.c", "displayName": "X"], isAdministrator: true)
        try await tour.call("/v1/projects/demo-test/accounts:query", [:], isAdministrator: true)
        try await tour.call("/v1/projects/demo-test/accounts:batchGet", isAdministrator: true)
        let rows: JSONValue = ["users": [["localId": "u-1", "email": "u@b.c"], ["localId": ""]]]
        try await tour.call("/v1/projects/demo-test/accounts:batchCreate", rows, isAdministrator: true)
        try await tour.call(
            "/v1/projects/demo-test/accounts:batchDelete",
            ["localIds": ["u-1", "u-2"], "force": false],
            isAdministrator: true
        )
    }

    private func documents(_ tour: inout AnswerTour) async throws {
        let key = "?key=\(TestServer.apiKey)"
        for path in [
            "/.well-known/openid-configuration", "/.well-known/jwks.json", "/v1/publicKeys", "/v1/sessionCookiePublicKeys\(key)",
            "/v1/projects\(key)", "/v2/passwordPolicy\(key)", "/v2/recaptchaConfig\(key)", "/__/firebase/init.json", "/healthz",
        ] { try await tour.call(path) }
        try await tour.call("/v1/projects", isAdministrator: true)
    }
}
