import Foundation
import Project

/// `secrets.*`: the key that encrypts all stored secrets.
package struct SecretsSettings: Sendable {
    package enum MasterKey: Sendable {
        /// The 32 bytes themselves.
        case bytes(Secret<[UInt8]>)
        /// A file that holds them in base64; see ``decode(_:)``.
        case file(String)
        /// A key that is generated at the first start and kept beside the database. Development mode only.
        case generated

        /// The 32 bytes of a key's base64 text, ignoring white space around it; `nil` for any other text.
        package static func decode(_ text: String) -> [UInt8]? {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard let data = Data(base64Encoded: trimmed), data.count == 32 else { return nil }
            return Array(data)
        }
    }

    package let masterKey: MasterKey
    /// The source of a second key whose values still open, while the master key is replaced; `nil` when there is none.
    package let previousMasterKey: MasterKey?

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
        // The environment overrides the file: a key there replaces a key file named in the settings file, and the reverse.
        let isFileFirst = if case .environment = reader.origin(of: "masterKeyFile") { true } else { false }
        if let file, isFileFirst || key == nil {
            reader.warnOfReaders("masterKeyFile", file)
            masterKey = .file(file)
        } else {
            masterKey = key.map(MasterKey.bytes) ?? .generated
        }
        previousMasterKey = Self.previousMasterKey(reader)
    }

    private static func previousMasterKey(_ reader: SettingsReader) -> MasterKey? {
        let key = reader.secret(
            "previousMasterKey",
            .text("base64 of 32 bytes", isEchoed: false) { MasterKey.decode($0) },
            "a key that still opens secrets while the master key is replaced; nothing is encrypted with it"
        )
        let file = reader.optional("previousMasterKeyFile", .path, "a file holding that key in base64")
        switch (reader.origin(of: "previousMasterKey"), reader.origin(of: "previousMasterKeyFile")) {
        case (.file, .file), (.environment, .environment):
            reader.refuse("previousMasterKey", "expected either this or secrets.previousMasterKeyFile, found both")
        default: break
        }
        let isFileFirst = if case .environment = reader.origin(of: "previousMasterKeyFile") { true } else { false }
        guard let file, isFileFirst || key == nil else { return key.map(MasterKey.bytes) }
        reader.warnOfReaders("previousMasterKeyFile", file)
        return .file(file)
    }
}

/// `tokens.*`: issuer, lifetime and signing keys of ID tokens.
package struct TokenSettings: Sendable {
    /// `iss` of ID tokens; `nil` for Firebase's own.
    package let configuredIssuer: String?
    package let idTokenSeconds: Int
    /// Age in days at which the signing key is rotated.
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
