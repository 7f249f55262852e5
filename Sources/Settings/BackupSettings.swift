import Project

/// `backup.*`: where the console keeps backups, whom backups are encrypted for, and the object store that `postern backup` and
/// `postern restore` use for places `s3://bucket/prefix`.
///
/// A key of Postern's goes before the variable of Amazon's tools. Both variables of the credentials count only when no key of the
/// credentials is set, so that no secret meets the id of another.
package struct BackupSettings: Sendable {
    /// Who asks the store.
    package struct Credentials: Sendable {
        package let accessKeyID: String
        package let secretAccessKey: Secret<String>
        /// Of temporary credentials; `nil` for lasting ones.
        package let sessionToken: Secret<String>?
    }

    /// The directory of the console's backups; `nil` for `backups` beside the database.
    package let directory: String?
    /// The public key that backups are encrypted for, as `postern backup keygen` prints it; `nil` for plain ones.
    package let recipient: String?
    /// The store's URL; `nil` for Amazon S3 in ``region``.
    package let endpoint: WebURL?
    /// The region that requests are signed for.
    package let region: String
    /// `nil` when there are none.
    package let credentials: Credentials?
    /// Whether the bucket is the first part of the path, and not of the host name.
    package let usesPathStyle: Bool

    private static func region(_ text: String) -> String? { text.wholeMatch(of: /[A-Za-z0-9-]{1,63}/) != nil ? text : nil }

    init(_ reader: SettingsReader, variables: AmazonVariables, outbound: OutboundSettings) {
        directory = reader.optional(
            "directory",
            .text("the path of a directory") { $0.isPlainText ? $0 : nil },
            otherwise: "`backups` beside the database",
            "where the console makes and lists backups of SQLite"
        )
        recipient = reader.optional(
            "recipient",
            .text("a public key of `postern backup keygen`", isEchoed: false) {
                BackupKeyText.bytes(of: $0, .public) == nil ? nil : $0
            },
            "public key that backups of the console and of `postern backup` are encrypted for, unless the command names another"
        )
        let section = reader.section("s3")
        let endpoint = section.optional(
            "endpoint",
            .baseURL,
            otherwise: "`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, else Amazon S3 in the region",
            "object store of places `s3://bucket/prefix`"
        )
        outbound.check(endpoint, "endpoint", section)
        self.endpoint =
            endpoint
            ?? variables.value(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"], reader, "an absolute http or https URL") { text in
                WebURL(text.hasSuffix("/") ? String(text.dropLast()) : text).flatMap { $0.isBase ? $0 : nil }
            }
        region =
            section.optional(
                "region",
                .text("the name of a region", Self.region),
                otherwise: "`AWS_REGION`, `AWS_DEFAULT_REGION`, else `us-east-1`",
                "region that requests are signed for"
            ) ?? variables.value(["AWS_REGION", "AWS_DEFAULT_REGION"], reader, "the name of a region", Self.region)
            ?? "us-east-1"
        let id = section.optional(
            "accessKeyId",
            .text,
            otherwise: "`AWS_ACCESS_KEY_ID`",
            "id of the key that requests are signed with"
        )
        let secret = section.secret("secretAccessKey", .text, otherwise: "`AWS_SECRET_ACCESS_KEY`", "that key")
        section.requireTogether("accessKeyId", "secretAccessKey")
        if section.isSet("accessKeyId") || section.isSet("secretAccessKey") {
            credentials = id.flatMap { id in
                secret.map { Credentials(accessKeyID: id, secretAccessKey: $0, sessionToken: nil) }
            }
        } else {
            credentials = variables.credentials
        }
        let isOthers = self.endpoint != nil
        usesPathStyle = section.value(
            "pathStyle",
            .boolean,
            default: isOthers,
            otherwise: "`true` with an endpoint, `false` at Amazon S3",
            "whether the bucket stands in the path, and not in the host name"
        )
    }
}

/// The variables that Amazon's tools read, as far as they concern an object store.
struct AmazonVariables: Sendable {
    private let values: [String: String]

    // Session tokens are the longest, with up to some kilobytes.
    private static let maximumBytes = 8192

    init(_ environment: [String: String]) {
        values = environment.filter {
            $0.key.hasPrefix("AWS_") && $0.value.isPlainText && $0.value.utf8.count <= Self.maximumBytes
        }
    }

    /// The credentials; `nil` unless both variables are set.
    var credentials: BackupSettings.Credentials? {
        guard let id = values["AWS_ACCESS_KEY_ID"], let secret = values["AWS_SECRET_ACCESS_KEY"] else { return nil }
        return BackupSettings.Credentials(
            accessKeyID: id,
            secretAccessKey: Secret(secret),
            sessionToken: values["AWS_SESSION_TOKEN"].map { Secret($0) }
        )
    }

    /// The value of the first variable that is set. One that cannot be read is warned about and not heeded: it is not Postern's.
    func value<Value>(_ names: [String], _ reader: SettingsReader, _ expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let name = names.first(where: { values[$0] != nil }), let text = values[name] else { return nil }
        if let value = parse(text) { return value }
        reader.warn("\(name) is not heeded: expected \(expected)")
        return nil
    }
}
