import Foundation
import Project
import TestKit
import Testing

@testable import Settings

@Suite("The table of keys")
struct KeyTableTests {
    @Test func hasEveryKeyOnceAndUnderOneVariable() async throws {
        let keys = try Settings.documentedKeys
        #expect(keys.count > 80)
        #expect(Set(keys.map(\.name)).count == keys.count)
        #expect(Set(keys.map(\.environmentName)).count == keys.count)
    }

    @Test(arguments: [
        ("mode", "POSTERN_MODE"),
        ("server.publicURL", "POSTERN_SERVER_PUBLIC_URL"),
        ("server.trustedProxies", "POSTERN_SERVER_TRUSTED_PROXIES"),
        ("server.tls.certificateFile", "POSTERN_SERVER_TLS_CERTIFICATE_FILE"),
        ("project.apiKeys", "POSTERN_PROJECT_API_KEYS"),
        ("limits.oob.emailSigninSeconds", "POSTERN_LIMITS_OOB_EMAIL_SIGNIN_SECONDS"),
        ("endpoints.githubAPI", "POSTERN_ENDPOINTS_GITHUB_API"),
        ("apns.baseURL", "POSTERN_APNS_BASE_URL"),
        ("telemetry.traces.sampleRatio", "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO"),
        ("passkeys.rpId", "POSTERN_PASSKEYS_RP_ID"),
        ("recaptcha.verifyURL", "POSTERN_RECAPTCHA_VERIFY_URL"),
        ("tokens.idTokenSeconds", "POSTERN_TOKENS_ID_TOKEN_SECONDS"),
        ("backup.s3.accessKeyId", "POSTERN_BACKUP_S3_ACCESS_KEY_ID"),
    ])
    func namesVariablesInUpperSnakeCase(name: String, variable: String) async throws {
        let key = try Settings.documentedKeys.first { $0.name == name }
        #expect(key?.environmentName == variable)
    }

    @Test func everyKeyIsReadFromItsVariable() async throws {
        let workspace = try Workspace()
        let keys = try Settings.documentedKeys
        // No kind of value allows a control character, so every key that is read reports a problem and names its variable.
        let environment = Dictionary(uniqueKeysWithValues: keys.map { ($0.environmentName, "\u{1}") })
        let problems = try await workspace.problems(nil, environment)
        for key in keys {
            #expect(
                problems.contains { $0.hasPrefix("\(key.name): expected") && $0.hasSuffix("variable \(key.environmentName))") },
                "\(key.name)"
            )
        }
    }

    @Test func everyKeyIsReadFromTheFile() async throws {
        let workspace = try Workspace()
        for key in try Settings.documentedKeys {
            var yaml = ""
            for (depth, part) in key.name.split(separator: ".").enumerated() {
                yaml += (depth == 0 ? "" : "\n" + String(repeating: "  ", count: depth)) + part + ":"
            }
            let problems = try await workspace.problems(yaml + " {}\n")
            #expect(problems.contains { $0.hasPrefix("\(key.name): expected") && $0.contains("(settings.yaml:") }, "\(key.name)")
        }
    }

    @Test func isInTheDocumentationRowByRow() async throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Configuration.md"), encoding: .utf8)
        let rows = Set(page.split(separator: "\n").map(String.init))
        let keys = try Settings.documentedKeys
        for key in keys { #expect(rows.contains(key.markdownRow), "\(key.name)") }
        #expect(rows.isSuperset(of: DocumentedKey.markdownHead.split(separator: "\n").map(String.init)))
        #expect(rows.count { $0.contains("| `POSTERN_") } == keys.count, "the page has rows for keys that do not exist")
    }

    @Test func marksSecrets() async throws {
        let secrets = Set(try Settings.documentedKeys.filter(\.isSecret).map(\.name))
        #expect(
            secrets == [
                "admin.token", "database.url", "secrets.masterKey", "secrets.previousMasterKey", "email.smtp.password",
                "sms.twilio.authToken", "sms.webhook.secret", "recaptcha.secret", "webhooks.secret", "telemetry.headers",
                "audit.webhook.secret", "backup.s3.secretAccessKey",
            ]
        )
    }
}
