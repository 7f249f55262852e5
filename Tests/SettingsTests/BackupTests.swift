import Foundation
import Project
import Testing

@testable import Settings

@Suite("The object store's settings")
struct BackupTests {
    private static let ids = [
        "AWS_ACCESS_KEY_ID": "amazon-id", "AWS_SECRET_ACCESS_KEY": "amazon-secret", "AWS_SESSION_TOKEN": "token",
    ]

    private func backup(_ variables: [String: String], _ yaml: String = "") async throws -> BackupSettings {
        try await Workspace().load("mode: development\n" + yaml, variables).backup
    }

    @Test("are Amazon S3's without any, and have no credentials")
    func absent() async throws {
        let backup = try await backup(["AWS_ACCESS_KEY_ID": "alone", "AWS_REGION": ""])
        #expect(backup.endpoint == nil && backup.region == "us-east-1" && backup.credentials == nil && !backup.usesPathStyle)
    }

    @Test("are taken from the variables of Amazon's tools, the more special one first")
    func variables() async throws {
        let backup = try await backup(
            Self.ids.merging([
                "AWS_ENDPOINT_URL": "https://all.example.com", "AWS_ENDPOINT_URL_S3": "https://s3.example.com/",
                "AWS_REGION": "eu-west-1",
                "AWS_DEFAULT_REGION": "eu-west-2",
            ]) { $1 }
        )
        #expect(backup.endpoint?.text == "https://s3.example.com" && backup.region == "eu-west-1" && backup.usesPathStyle)
        #expect(backup.credentials?.accessKeyID == "amazon-id")
        #expect(backup.credentials?.secretAccessKey.reveal() == "amazon-secret")
        #expect(backup.credentials?.sessionToken?.reveal() == "token")
    }

    @Test("put Postern's own keys before them, and never mix two pairs of credentials")
    func precedence() async throws {
        let yaml =
            "backup: {s3: {endpoint: 'https://own.example.com', region: own-1, accessKeyId: id, secretAccessKey: s, pathStyle: false}}"
        let backup = try await backup(Self.ids.merging(["AWS_ENDPOINT_URL": "https://a", "AWS_REGION": "b"]) { $1 }, yaml)
        #expect(backup.endpoint?.text == "https://own.example.com" && backup.region == "own-1" && !backup.usesPathStyle)
        #expect(backup.credentials?.accessKeyID == "id" && backup.credentials?.secretAccessKey.reveal() == "s")
        #expect(backup.credentials?.sessionToken == nil)
        let half = try await Workspace().problems("mode: development\nbackup: {s3: {accessKeyId: id}}", Self.ids)
        #expect(half.count == 1 && half.first?.hasPrefix("backup.s3.secretAccessKey: missing: ") == true, "\(half)")
    }

    @Test("stop no server where a variable of Amazon's tools is odd, and warn of it")
    func oddVariables() async throws {
        let settings = try await Workspace().load("mode: development", ["AWS_ENDPOINT_URL": "nonsense", "AWS_REGION": "a b"])
        #expect(settings.backup.endpoint == nil && settings.backup.region == "us-east-1")
        #expect(
            settings.warnings == [
                "AWS_ENDPOINT_URL is not heeded: expected an absolute http or https URL",
                "AWS_REGION is not heeded: expected the name of a region",
            ]
        )
    }

    @Test("refuse an http endpoint where private networks are off, and regions and secrets of no form")
    func refusals() async throws {
        let problems = try await Workspace().problems(
            "backup: {recipient: postern-backup-private-hush, s3: {endpoint: 'http://s3.example.com', region: 'a:b', accessKeyId: hush, secretAccessKey: \"hush\\n\"}}",
            productionEnvironment
        )
        #expect(problems.count == 4 && !problems.joined().contains("hush"), "\(problems)")
        #expect(problems.contains { $0.hasPrefix("backup.s3.endpoint: expected an https URL") })
        #expect(problems.contains { $0.hasPrefix("backup.recipient: expected a public key of `postern backup keygen`") })
        #expect(problems.contains { $0.hasPrefix("backup.s3.region: expected the name of a region") })
        #expect(problems.contains { $0.hasPrefix("backup.s3.secretAccessKey: expected text") })
    }
}
