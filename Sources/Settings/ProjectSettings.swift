import Foundation
import Project

/// `project.*`: the Firebase project of this server.
package struct ProjectSettings: Sendable {
    /// The API keys that clients may send.
    package enum APIKeys: Sendable, Hashable {
        /// Any key, as in the emulator. Development mode only.
        case any
        /// Only these keys.
        case only(Set<String>)
    }

    package let id: String
    package let apiKeys: APIKeys
    /// Path of the declarative project configuration; `nil` when there is none.
    package let file: String?

    private static let defaultFile = "Config/project.yaml"

    init(_ reader: SettingsReader) {
        // Production ids are stricter, but users of the emulator have many kinds (`demo-test`, `fake-project-id`).
        let id = reader.optional(
            "id",
            .text("1 to 64 lower-case letters, digits or hyphens") { $0.wholeMatch(of: /[a-z0-9-]{1,64}/) == nil ? nil : $0 },
            otherwise: "`demo-postern` in development; required in production",
            "the Firebase project id"
        )
        let keys = reader.optional(
            "apiKeys",
            .list(of: "API keys") { $0.isPlainText ? $0 : nil },
            otherwise: "any key in development; at least one required in production",
            "values accepted as `key`"
        )
        let file = reader.optional(
            "file",
            .path,
            otherwise: "`\(Self.defaultFile)` if present",
            "project configuration applied at each start"
        )

        self.id = id ?? "demo-postern"
        apiKeys = keys.map { .only(Set($0)) } ?? .any
        let isPresent =
            reader.surroundings.hasUsualFiles
            && FileManager.default.fileExists(
                atPath: YAMLFile.resolve(Self.defaultFile, in: reader.surroundings.workingDirectory)
            )
        self.file = file ?? (isPresent ? Self.defaultFile : nil)

        if keys?.isEmpty == true { reader.refuse("apiKeys", "expected at least one API key") }
        guard reader.rules?.needsProjectAndKeys == true else { return }
        reader.require("id", "as mode is production")
        reader.require("apiKeys", "as mode is production")
    }
}

extension ProjectSettings {
    /// The key in links and in the web configuration, which name one as Firebase's do; the emulator's is always the same.
    package var linkKey: String {
        switch apiKeys {
        case .any: "fake-api-key"
        case .only(let keys): keys.min() ?? ""
        }
    }
}

/// `admin.*`: access for administrators before there are accounts to sign in with.
package struct AdminSettings: Sendable {
    /// A bearer token that makes its holder an administrator.
    package let token: Secret<String>?
    /// Whether `Bearer owner` is an administrator on the private listener. Development takes it everywhere.
    package let acceptsOwner: Bool

    init(_ reader: SettingsReader) {
        acceptsOwner = reader.value(
            "acceptsOwner",
            .boolean,
            default: true,
            "whether whoever reaches the private listener is an administrator by `Bearer owner`"
        )
        token = reader.secret("token", .text(atLeast: 32), "a static administrator bearer token, for bootstrap and curl")
    }
}
