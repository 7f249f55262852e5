import Accounts
import Crypto
import Foundation
import Project

/// Auth0's user export (one JSON object per line, or a list), with an optional file of password hashes from Auth0's support. That
/// file may also be imported alone.
struct Auth0Format: UserFileFormat {
    let passwords: Auth0Passwords?

    private static let providers = [
        "google-oauth2": "google.com", "apple": "apple.com", "facebook": "facebook.com", "twitter": "twitter.com",
        "github": "github.com", "windowslive": "microsoft.com", "waad": "microsoft.com", "linkedin": "linkedin.com",
        "yahoo": "yahoo.com",
    ]

    func records(of bytes: FileBytes) throws -> any FileRecords { JSONRecords(bytes, member: nil) }

    func user(_ content: FileRecord.Content) throws -> MovedUser {
        var row = try RecordMembers(content)
        var user = MovedUser(account: ImportedAccount())
        let ownID = row.value("_id")?["$oid"]?.string
        user.account.localID = try row.text("user_id") ?? row.text("id") ?? ownID.map { "auth0|" + $0 } ?? ""
        user.account.email = try row.text("email")
        user.account.emailVerified = try row.flag("email_verified")
        user.account.isDisabled = try row.flag("blocked")
        user.account.screenName = try row.text("username")
        let names = [try row.text("given_name"), try row.text("family_name")].compactMap { $0 }
        user.account.displayName =
            try row.text("name") ?? (names.isEmpty ? row.text("nickname") : names.joined(separator: " "))
        user.account.photoURL = try row.text("picture")
        user.account.createdAt = try row.time("created_at", &user.notes)
        user.account.lastLoginAt = try row.time("last_login", &user.notes)
        if let number = try row.text("phone_number") {
            if try row.flag("phone_verified") {
                user.account.phoneNumber = number
            } else {
                user.notes.append("phone_number was never verified and is not kept")
            }
        }
        if let claims = row.value("app_metadata") {
            if let members = claims.object {
                user.takeClaims(members, from: "app_metadata")
            } else {
                user.notes.append("app_metadata is not an object and is not kept")
            }
        }
        try readPassword(&row, &user)
        readIdentities(&row, &user)
        row.pass(
            "id",
            "_id",
            "user_id",
            "nickname",
            "name",
            "updated_at",
            "last_ip",
            "logins_count",
            "connection",
            "tenant",
            "_tmp_is_unique",
            "password_set_date",
            "last_password_reset",
            "phone_verified",
            "email_lower",
            "global_client_id"
        )
        user.notes += row.unknown()
        return user
    }

    private func readPassword(_ row: inout RecordMembers, _ user: inout MovedUser) throws {
        let custom = row.value("custom_password_hash")
        let customText = custom?["hash"]?["value"]?.string.flatMap { custom?["algorithm"] == "bcrypt" ? $0 : nil }
        let own = try row.text("password_hash") ?? row.text("passwordHash") ?? customText
        row.pass("password_hash", "passwordHash")
        guard let text = try own ?? passwords?.hash(of: user.account.localID) else {
            if custom != nil { user.notes.append("custom_password_hash is of no known kind: the account has no password") }
            return
        }
        if !PasswordText.set(text, of: &user.account) {
            user.notes.append("the password's hash is of no known kind: the account has no password")
        }
    }

    private func readIdentities(_ row: inout RecordMembers, _ user: inout MovedUser) {
        var identities = row.value("identities")?.array ?? []
        // Without a list of identities, the user id contains the provider.
        if identities.isEmpty {
            let parts = user.account.localID.split(separator: "|", maxSplits: 1).map(String.init)
            if parts.count == 2 { identities = [["provider": .string(parts[0]), "user_id": .string(parts[1])]] }
        }
        for entry in identities {
            let name = entry["provider"]?.string ?? ""
            if ["auth0", "email", "sms"].contains(name) { continue }
            let rawID = entry["user_id"]?.string ?? entry["user_id"]?.integer.map { String($0) }
            guard let providerID = Self.providers[name], let rawID, !rawID.isEmpty else {
                user.notes.append("the identity at \(TerminalText.printable(String(name.prefix(50)))) is not kept")
                continue
            }
            var provider = ImportedAccount.Provider()
            provider.providerID = providerID
            provider.rawID = rawID
            provider.email = entry["profileData"]?["email"]?.string
            provider.displayName = entry["profileData"]?["name"]?.string
            provider.photoURL = entry["profileData"]?["picture"]?.string
            user.account.providers.append(provider)
        }
    }
}

/// Auth0's file of password hashes: one object per line with `_id.$oid` and `passwordHash`. Only the position of each line is
/// kept in memory, sixteen bytes per user.
struct Auth0Passwords: Sendable {
    private let source: FileSource
    private var places: [UInt64: UInt64] = [:]

    private static let longestLine = 16_384

    init(path: String) throws {
        source = try FileSource(path: path)
        var bytes = try FileBytes(source)
        var (begin, number) = (bytes.offset, 1)
        var line: [UInt8] = []
        while true {
            let byte = try bytes.next()
            if let byte, byte != UInt8(ascii: "\n") {
                if line.count <= Self.longestLine { line.append(byte) }
                continue
            }
            if line.contains(where: { $0 != 0x20 && $0 != 0x0D }) {
                guard line.count <= Self.longestLine, let id = Self.entry(line)?.id else {
                    throw MalformedFile(line: number, reason: "\(path) has no user id and password hash here")
                }
                places[Self.key(id)] = begin
            }
            guard byte != nil else { break }
            bytes.endRecord()
            line = []
            number += 1
            begin = bytes.offset
        }
    }

    /// The hash of a user; `nil` when the file has none.
    ///
    /// - Parameter localID: `auth0|…`.
    func hash(of localID: String) throws -> String? {
        guard let place = places[Self.key(localID)] else { return nil }
        let piece = try source.read(Self.longestLine + 8, at: place)
        guard let entry = Self.entry(Array(piece.prefix { $0 != UInt8(ascii: "\n") })), entry.id == localID else { return nil }
        return entry.hash
    }

    private static func entry(_ line: [UInt8]) -> (id: String, hash: String)? {
        guard let document = try? JSONValue.parse(line), let hash = document["passwordHash"]?.string,
            let id = document["_id"]?["$oid"]?.string ?? document["_id"]?.string
        else { return nil }
        return (id.contains("|") ? id : "auth0|" + id, hash)
    }

    private static func key(_ id: String) -> UInt64 {
        SHA256.hash(data: Data(id.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
