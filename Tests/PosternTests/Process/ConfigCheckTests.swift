import Foundation
import TestKit
import Testing

@Suite("postern config check", .teardown, .timeLimit(.minutes(15)))
struct ConfigCheckTests {
    private let project = """
        config: {blockingFunctions: {triggers: {beforeCreate: {functionUri: "http://10.0.0.1/"}}}}
        defaultSupportedIdpConfigs:
          apple.com:
            enabled: true
            clientId: c
            appleSignInConfig: {codeFlowConfig: {teamId: TEAM, keyId: KEY, privateKey: "no-key-text"}}
          google.com: {enabled: true, clientId: c, clientSecret: {env: NOT_SET}}
        oauthIdpConfigs:
          oidc.plain: {enabled: true, clientId: c, issuer: http://id.example.com}
          oidc.off: {enabled: false, clientId: c, issuer: http://id.example.com}
          oidc.bare: {enabled: true, issuer: https://id.example.com, responseType: {code: true}}
        inboundSamlConfigs:
          saml.corp:
            enabled: true
            idpConfig: {idpEntityId: e, ssoUrl: http://id.example.com, idpCertificates: [{x509Certificate: no-pem-text}]}
            spConfig: {spEntityId: s, callbackUri: http://sp.example.com/handler}
        tenants:
          acme: {oauthIdpConfigs: {oidc.t: {enabled: true, clientId: c, issuer: http://id.example.com}}}

        """

    private let places = [
        "config.blockingFunctions", "defaultSupportedIdpConfigs.apple.com.appleSignInConfig.codeFlowConfig.privateKey",
        "oauthIdpConfigs.oidc.plain.issuer", "inboundSamlConfigs.saml.corp.idpConfig.ssoUrl",
        "inboundSamlConfigs.saml.corp.idpConfig.idpCertificates[0]", "inboundSamlConfigs.saml.corp.spConfig.callbackUri",
        "tenants.acme.oauthIdpConfigs.oidc.t.issuer",
    ]

    @Test("refuses what serve or a first sign-in would, all at once, and shows no content")
    func everything() async throws {
        let more = [
            "POSTERN_SERVER_TLS_CERTIFICATE_FILE": "text", "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": "text",
            "POSTERN_APNS_KEY_ID": "ABCDEFGHIJ", "POSTERN_APNS_TEAM_ID": "TEAM123456", "POSTERN_APNS_PRIVATE_KEY_FILE": "text",
            "POSTERN_DATABASE_URL": "sqlite:missing/postern.sqlite",
        ]
        let place = try await CommandPlace.make(project: project, more)
        try place.write("no-pem-text", to: "text")
        let (code, text) = try await place.run(["config", "check"])
        #expect(code == 1)
        let named = [
            "NOT_SET", "server.tls.certificateFile", "server.tls.privateKeyFile", "apns.privateKeyFile",
            "there is no directory",
        ]
        for part in places + named { #expect(text.contains(part), "\(part): \(text)") }
        for part in ["oidc.off", "no-key-text", "no-pem-text"] { #expect(!text.contains(part), "\(part): \(text)") }
    }

    @Test("warns of what the file lacks, which the store may have; allows http where calls may use it")
    func allowed() async throws {
        let good = """
            oauthIdpConfigs:
              oidc.plain: {enabled: true, clientId: c, issuer: http://id.example.com}
              oidc.bare: {enabled: true, issuer: https://id.example.com, responseType: {code: true}}

            """
        let place = try await CommandPlace.make(project: good, ["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true"])
        let (code, text) = try await place.run(["config", "check"])
        #expect(code == 0, "\(text)")
        #expect(text.contains("warning: project.file: oidc.bare lacks: client id, client secret\n"), "\(text)")
        #expect(!text.contains("oidc.plain"))
    }

    @Test("a server starts in spite of values that no sign-in can use, and says so")
    func server() async throws {
        let file = "oauthIdpConfigs: {oidc.plain: {enabled: true, clientId: c, issuer: http://id.example.com}}\n"
        let place = try await CommandPlace.make(project: file, ["POSTERN_LOG_LEVEL": "warning"])
        let server = try ServerProcess(["serve"], environment: place.variables, directory: place.directory)
        _ = try await server.waitUntilReady()
        #expect(server.printed.contains("the project file has a value that no sign-in can use"), "\(server.printed)")
        #expect(await server.terminate() == 0)
    }
}
