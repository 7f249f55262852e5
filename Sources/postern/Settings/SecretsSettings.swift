import Foundation
import Project

/// `secrets.*`: the key everything at rest is encrypted with.
package struct SecretsSettings: Sendable {
    /// Where the master key comes from.
    package enum MasterKey: Sendable {
        /// The 32 bytes themselves.
        case bytes(Secret<[UInt8]>)
        /// A file that holds them in base64; see ``decode(_:)``.
        case file(String)
        /// Made at the first start and kept beside the database; development mode alone.
        case generated

        /// The 32 bytes that a key's base64 text stands for, white space around it ignored; nil for anything else.
        package static func decode(_ text: String) -> [UInt8]? {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard let data = Data(base64Encoded: trimmed), data.count == 32 else { return nil }
            return Array(data)
        }
    }

    /// The source of the master key.
    package let masterKey: MasterKey

    init(_ reader: SettingsReader) {
        let otherwise = "generated beside the database in development; one of the two required in production"
        let key = reader.secret(
            "masterKey",
            .text("base64 of 32 bytes", isEchoed: false) { MasterKey.decode($0) },
            otherwise: otherwise,
            "encrypts all secrets at rest"
        )
        let file = reader.optional("masterKeyFile", .path, otherwise: otherwise, "a file holding that key in base64")

        switch (reader.origin(of: "masterKey"), reader.origin(of: "masterKeyFile")) {
        case (.absent, .absent):
            if reader.rules?.needsProjectAndKeys == true {
                reader.require("masterKey", "or secrets.masterKeyFile, as mode is production")
            }
        case (.file, .file), (.environment, .environment):
            reader.refuse("masterKey", "expected either this or secrets.masterKeyFile, found both")
        default:
            break
        }
        // The environment overrides the file, so a key there beats a key file named in the settings file, and the reverse.
        let isFileFirst = if case .environment = reader.origin(of: "masterKeyFile") { true } else { false }
        if let file, isFileFirst || key == nil {
            reader.warnOfReaders("masterKeyFile", file)
            masterKey = .file(file)
        } else {
            masterKey = key.map(MasterKey.bytes) ?? .generated
        }
    }
}

/// `tokens.*`: what ID tokens say and how long they hold.
package struct TokenSettings: Sendable {
    /// `iss` of ID tokens where it is not Firebase's own.
    package let configuredIssuer: String?
    /// Lifetime of an ID token in seconds.
    package let idTokenSeconds: Int
    /// Age in days at which the signing key is replaced.
    package let keyRotationDays: Int

    init(_ reader: SettingsReader) {
        configuredIssuer =
            reader.optional(
                "issuer",
                .webURL,
                otherwise: "`https://securetoken.google.com/<project.id>`",
                "`iss` of ID tokens; the Admin SDKs expect the default"
            )?.text
        idTokenSeconds = reader.value("idTokenSeconds", .integer(in: 60...86400), default: 3600, "lifetime of an ID token")
        keyRotationDays = reader.value(
            "keyRotationDays",
            .integer(in: 1...365),
            default: 30,
            "age at which the signing key is replaced"
        )
    }
}
