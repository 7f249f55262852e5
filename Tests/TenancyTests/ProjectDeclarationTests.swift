import Logging
import Project
import Storage
import Tenancy
import TestKit
import Testing
import Tokens

@Suite("The declarative project file")
struct ProjectDeclarationTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let project = Scope(projectID: "p")
    private let document: JSONValue = [
        "config": ["signIn": ["anonymous": ["enabled": true]], "authorizedDomains": ["localhost"]],
        "oauthIdpConfigs": ["oidc.x": ["enabled": true, "issuer": "https://x", "clientId": "c", "clientSecret": "top-secret"]],
        "defaultSupportedIdpConfigs": [
            "apple.com": ["enabled": true, "appleSignInConfig": ["bundleIds": ["b"], "codeFlowConfig": ["privateKey": "pem"]]]
        ],
        "tenants": ["acme": ["displayName": "Acme", "oauthIdpConfigs": ["oidc.y": ["enabled": false]]]],
    ]

    private func withStore(
        _ body: (SQLiteDatabase, (JSONValue) async throws -> Int) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let database = try SQLiteDatabase(.memory, readers: 1, logger: logger)
        try await Migrator.sqlite.migrate(database, now: clock.now.milliseconds)
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: clock.environment())
        try await body(database) { document in
            let declaration = try ProjectDeclaration(document)
            return try await declaration.apply(to: "p", database: database, sealer: sealer, at: clock.now, logger: logger)
        }
        try await database.close()
    }

    @Test("names domains that are none (OOB-09)")
    func domains() throws {
        let bad: JSONValue = [
            "config": ["authorizedDomains": ["App.example", "10.0.0.1", "a_b.example", "a.example/x", "127.1"]]
        ]
        let error = try #require(throws: ProjectDeclaration.Invalid.self) { try ProjectDeclaration(bad) }
        #expect(error.problems.count == 3)
        for domain in ["a_b.example", "a.example/x", "127.1"] {
            #expect(error.problems.contains { $0.hasPrefix("config.authorizedDomains: \(domain) is no domain") }, "\(domain)")
        }
    }

    @Test("names tenants whose ids no store takes, and what cannot be sealed, before there is a store")
    func unstorable() async throws {
        let long = String(repeating: "t", count: 129)
        let ids = JSONValue.object(JSONObject(naming: ["a\u{0}b", long, "", "t.1"].map { ($0, JSONValue.object([:])) }))
        let error = try #require(throws: ProjectDeclaration.Invalid.self) { try ProjectDeclaration(["tenants": ids]) }
        #expect(error.problems.count == 3 && error.problems.allSatisfy { $0.contains("must be named by 1 to 128 bytes") })
        // The longest that can be sealed, and one more.
        let secrets = [49_116, 49_117].map { String(repeating: "s", count: $0) }
        func file(_ secret: String) -> JSONValue {
            let provider: JSONValue = ["oidc.x": ["clientSecret": .string(secret)]]
            let smtp: JSONValue = ["notification": ["sendEmail": ["smtp": ["password": .string(secret)]]]]
            return ["config": smtp, "oauthIdpConfigs": provider, "tenants": ["acme": ["oauthIdpConfigs": provider]]]
        }
        let refused = try #require(throws: ProjectDeclaration.Invalid.self) { try ProjectDeclaration(file(secrets[1])) }
        #expect(
            refused.problems == [
                "config.notification.sendEmail.smtp.password is too long", "oauthIdpConfigs.oidc.x.clientSecret is too long",
                "tenants.acme.oauthIdpConfigs.oidc.x.clientSecret is too long",
            ]
        )
        try await withStore { _, apply in
            let count = try await apply(file(secrets[0]))
            #expect(count == 4)
        }
    }

    @Test("is applied once: applying it again changes nothing")
    func idempotent() async throws {
        try await withStore { database, apply in
            #expect(try await apply(document) == 5)
            #expect(try await apply(document) == 0)
            let tenants = try await database.read { try $0.resources(Scope(projectID: "p", tenantID: "acme")).map(\.resourceID) }
            #expect(tenants == ["oidc.y"])
        }
    }

    @Test("sets the fields that it names and leaves the others")
    func merge() async throws {
        try await withStore { database, apply in
            _ = try await apply(document)
            #expect(try await apply(["config": ["signIn": ["allowDuplicateEmails": true]]]) == 1)
            let scope = project
            let config = try await database.read { try $0.resource(scope, kind: .config, resourceID: "") }
            #expect(config?["signIn"] == ["anonymous": ["enabled": true], "allowDuplicateEmails": true])
            #expect(config?["authorizedDomains"] == ["localhost"])
        }
    }

    @Test("has its secrets sealed, and a changed secret is a change")
    func secrets() async throws {
        try await withStore { database, apply in
            _ = try await apply(document)
            let stored = try await database.read {
                try $0.query("SELECT document FROM resources").map { try $0.text("document") }
            }
            #expect(stored.count == 5)
            #expect(stored.allSatisfy { !$0.contains("top-secret") && !$0.contains("pem") })
            #expect(stored.filter { $0.contains("sealed") }.count == 2)
            #expect(try await apply(["oauthIdpConfigs": ["oidc.x": ["clientSecret": "another"]]]) == 1)
        }
    }

    @Test("is refused when it says what it must not, each thing by name")
    func problems() throws {
        let bad: JSONValue = [
            "surprise": 1, "config": ["signin": [:]], "tenants": ["t": ["colour": "red"]],
            "oauthIdpConfigs": ["google.com": [:], "oidc.x": ["issuer": "ftp://x", "enabled": "yes", "isuer": "y"]],
            "defaultSupportedIdpConfigs": ["oidc.x": [:], "apple.com": ["appleSignInConfig": ["bundleIds": "b"]]],
        ]
        let error = try #require(throws: ProjectDeclaration.Invalid.self) { try ProjectDeclaration(bad) }
        for place in [
            "surprise", "config.signin", "tenants.t.colour", "oauthIdpConfigs.google.com", "oauthIdpConfigs.oidc.x.issuer",
            "oauthIdpConfigs.oidc.x.enabled", "oauthIdpConfigs.oidc.x.isuer", "defaultSupportedIdpConfigs.oidc.x",
            "defaultSupportedIdpConfigs.apple.com.appleSignInConfig.bundleIds",
        ] {
            #expect(error.problems.contains { $0.hasPrefix(place + " ") }, "\(place)")
        }
    }

    @Test("registers service accounts by their public keys, and keeps the day of their registration")
    func serviceAccounts() async throws {
        try await withStore { database, apply in
            let (first, second) = (try ServiceAccountKeyPair(), try ServiceAccountKeyPair())
            func file(_ pair: ServiceAccountKeyPair) -> JSONValue {
                ["serviceAccounts": ["minter@p.iam.gserviceaccount.com": ["publicKey": .string(pair.publicKey)]]]
            }
            // The project's own configuration is created too.
            #expect(try await apply(file(first)) == 2)
            #expect(try await apply(file(first)) == 0)
            #expect(try await apply(file(second)) == 1)
            let scope = project
            let stored = try await database.read { try $0.resources(scope) }.filter { $0.kind == .serviceAccount }
            #expect(
                stored.map(\.document) == [
                    [
                        "email": "minter@p.iam.gserviceaccount.com", "keyId": .string(second.keyID),
                        "publicKey": .string(second.publicKey), "createdAt": .string(TestClock().now.rfc3339),
                    ]
                ]
            )
        }
    }

    @Test("takes no service account without a usable key, and never a private one")
    func serviceAccountProblems() throws {
        let pair = try ServiceAccountKeyPair()
        let bad: JSONValue = [
            "serviceAccounts": [
                "Minter@x.y": ["publicKey": .string(pair.publicKey)], "private@x.y": ["publicKey": .string(pair.privateKey)],
                "none@x.y": [:], "text@x.y": ["publicKey": "text"],
                "more@x.y": ["publicKey": .string(pair.publicKey), "keyId": "k"],
            ]
        ]
        let error = try #require(throws: ProjectDeclaration.Invalid.self) { try ProjectDeclaration(bad) }
        for place in ["Minter@x.y", "private@x.y.publicKey", "none@x.y.publicKey", "text@x.y.publicKey", "more@x.y.keyId"] {
            #expect(error.problems.contains { $0.hasPrefix("serviceAccounts.\(place) ") }, "\(place)")
        }
        #expect(error.problems.count == 5)
        #expect(!error.description.contains("BEGIN"))
    }
}
