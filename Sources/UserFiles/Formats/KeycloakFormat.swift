import Accounts
import Project

/// A realm exported by Keycloak: `users` with their PBKDF2 or Argon2 credentials.
struct KeycloakFormat: UserFileFormat {
    private static let providers = [
        "google": "google.com", "apple": "apple.com", "facebook": "facebook.com", "twitter": "twitter.com",
        "github": "github.com",
        "microsoft": "microsoft.com", "linkedin": "linkedin.com", "linkedin-openid-connect": "linkedin.com",
    ]
    private static let algorithms = [
        "pbkdf2": "PBKDF_SHA1", "pbkdf2-sha256": "PBKDF2_SHA256", "pbkdf2-sha512": "PBKDF2_SHA512",
    ]

    private static let realms = """
        The export of a whole server is a list of realms, each with users of its own: import them one by one, from files of \
        `kc.sh export --realm NAME --users realm_file`
        """

    func records(of bytes: FileBytes) throws -> any FileRecords { JSONRecords(bytes, member: "users") }

    func user(_ content: FileRecord.Content) throws -> MovedUser {
        if case .unreadable(let reason) = content { throw UnusableRecord("\(reason). \(Self.realms)") }
        var row = try RecordMembers(content)
        if row.value("realm") != nil || row.value("users") != nil {
            throw UnusableRecord("this is a realm, not a user. \(Self.realms)")
        }
        var user = MovedUser(account: ImportedAccount())
        if let client = try row.text("serviceAccountClientId") {
            throw UnusableRecord("this is the service account of the client \(TerminalText.printable(client))")
        }
        user.account.localID = try row.text("id") ?? ""
        user.account.email = try row.text("email")
        user.account.emailVerified = try row.flag("emailVerified")
        user.account.isDisabled = row.value("enabled") == false
        let username = try row.text("username")
        if username?.lowercased() != user.account.email?.lowercased() { user.account.screenName = username }
        let name = [try row.text("firstName"), try row.text("lastName")].compactMap { $0 }.joined(separator: " ")
        user.account.displayName = name.isEmpty ? nil : name
        user.account.createdAt = row.value("createdTimestamp")?.integer.map { Timestamp(milliseconds: $0) }
        try readAttributes(row.value("attributes")?.object ?? [:], &user)
        try readCredentials(row.value("credentials")?.array ?? [], &user)
        for entry in row.value("federatedIdentities")?.array ?? [] {
            let name = entry["identityProvider"]?.string ?? ""
            guard let rawID = entry["userId"]?.string, !rawID.isEmpty else {
                throw UnusableRecord("a federated identity has no userId")
            }
            guard let providerID = Self.providers[name] else {
                user.notes.append("the identity at \(TerminalText.printable(String(name.prefix(50)))) is not kept")
                continue
            }
            var provider = ImportedAccount.Provider()
            provider.providerID = providerID
            provider.rawID = rawID
            provider.screenName = entry["userName"]?.string
            user.account.providers.append(provider)
        }
        row.pass("totp", "notBefore", "access", "origin", "self", "disableableCredentialTypes")
        user.notes += row.unknown()
        return user
    }

    private func readAttributes(_ attributes: JSONObject, _ user: inout MovedUser) throws {
        var attributes = RecordMembers(attributes.mapValues { $0[0] ?? $0 })
        user.account.photoURL = try attributes.text("picture")
        user.account.language = try attributes.text("locale")
        if let number = try attributes.text("phoneNumber") {
            if try attributes.flag("phoneNumberVerified") {
                user.account.phoneNumber = number
            } else {
                user.notes.append("attributes.phoneNumber was never verified and is not kept")
            }
        }
        user.notes += attributes.unknown("attributes.")
    }

    private func readCredentials(_ credentials: [JSONValue], _ user: inout MovedUser) throws {
        for credential in credentials {
            let type = credential["type"]?.string ?? ""
            guard type == "password" else {
                user.notes.append("the \(TerminalText.printable(String(type.prefix(50)))) credential is not kept")
                continue
            }
            // Since version 9 these are texts of JSON; before, they were plain members.
            let secret = Self.object(credential["secretData"]) ?? [:]
            let data = Self.object(credential["credentialData"]) ?? [:]
            let hash = secret["value"]?.string ?? credential["hashedSaltedValue"]?.string
            let salt = secret["salt"]?.string ?? credential["salt"]?.string
            let rounds = data["hashIterations"]?.integer ?? credential["hashIterations"]?.integer
            let name = data["algorithm"]?.string ?? credential["algorithm"]?.string ?? ""
            guard let hash, let salt, let rounds, let parameters = Self.parameters(name, rounds, data["additionalParameters"])
            else {
                user.notes.append(
                    "the password's algorithm \(TerminalText.printable(String(name.prefix(50)))) is unknown: no password"
                )
                continue
            }
            user.account.passwordHash = hash
            user.account.salt = salt
            user.account.passwordParameters = parameters
        }
    }

    private static func parameters(_ name: String, _ rounds: Int64, _ more: JSONValue?) -> JSONValue? {
        if let algorithm = algorithms[name] { return ["hashAlgorithm": .string(algorithm), "rounds": .integer(rounds)] }
        func text(_ key: String) -> String? { more?[key]?[0]?.string ?? more?[key]?.string }
        guard name == "argon2", let memory = text("memory").flatMap({ Int64($0) }), let type = text("type"),
            let lanes = text("parallelism").flatMap({ Int64($0) }), let length = text("hashLength").flatMap({ Int64($0) })
        else { return nil }
        return PasswordText.argon2(
            type: type,
            version: text("version") == "1.0" ? 0x10 : 0x13,
            memory: memory,
            passes: rounds,
            lanes: lanes,
            length: length
        )
    }

    private static func object(_ value: JSONValue?) -> JSONObject? {
        guard let text = value?.string else { return value?.object }
        return (try? JSONValue.parse(text.utf8))?.object
    }
}
