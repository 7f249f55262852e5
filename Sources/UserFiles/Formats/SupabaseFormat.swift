import Accounts
import Project

/// Rows of Supabase's `auth.users`, as CSV with a header or as JSON, with bcrypt, Argon2 or Firebase's scrypt in `encrypted_password`; or the
/// list of its API, `{"users": […]}`.
struct SupabaseFormat: UserFileFormat {
    let now: Timestamp

    private static let mostSpace = 65_536
    private static let providers = [
        "google": "google.com", "apple": "apple.com", "facebook": "facebook.com", "twitter": "twitter.com",
        "github": "github.com",
        "azure": "microsoft.com", "linkedin": "linkedin.com", "linkedin_oidc": "linkedin.com",
    ]

    func records(of bytes: FileBytes) throws -> any FileRecords {
        var bytes = bytes
        for _ in 0..<Self.mostSpace {
            guard let byte = try bytes.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D else { break }
            _ = try bytes.next()
        }
        switch try bytes.peek() {
        case UInt8(ascii: "["), UInt8(ascii: "{"): return JSONRecords(bytes, member: "users", isOptional: true)
        default: return CSVRecords(bytes)
        }
    }

    func user(_ content: FileRecord.Content) throws -> MovedUser {
        var row = try RecordMembers(content)
        var user = MovedUser(account: ImportedAccount())
        if let time = try row.text("deleted_at") {
            throw UnusableRecord("the user was deleted at \(TerminalText.printable(time))")
        }
        user.account.localID = try row.text("id") ?? ""
        user.account.email = try row.text("email")
        let confirmed = try row.text("email_confirmed_at") ?? row.text("confirmed_at")
        user.account.emailVerified = user.account.email != nil && confirmed != nil
        row.pass("confirmed_at")
        // Supabase stores the number without the plus sign.
        if let number = try row.text("phone") { user.account.phoneNumber = number.hasPrefix("+") ? number : "+" + number }
        if user.account.phoneNumber != nil, try row.text("phone_confirmed_at") == nil {
            user.account.phoneNumber = nil
            user.notes.append("phone was never confirmed and is not kept")
        }
        user.account.createdAt = try row.time("created_at", &user.notes)
        user.account.lastLoginAt = try row.time("last_sign_in_at", &user.notes)
        // PostgreSQL writes `infinity` for a ban without an end.
        let isEndless = row.value("banned_until") == "infinity"
        if try isEndless || row.time("banned_until", &user.notes).map({ now < $0 }) ?? false {
            user.account.isDisabled = true
            user.notes.append("banned_until has no counterpart: the account is disabled for good")
        }
        if let text = try row.text("encrypted_password"), !PasswordText.set(text, of: &user.account) {
            user.notes.append("encrypted_password is of no known kind: the account has no password")
        }
        try readMetadata(&row, &user)
        try readIdentities(&row, &user)
        row.pass(
            "instance_id",
            "aud",
            "role",
            "updated_at",
            "invited_at",
            "confirmation_token",
            "confirmation_sent_at",
            "recovery_token",
            "recovery_sent_at",
            "email_change_token_new",
            "email_change",
            "email_change_sent_at",
            "email_change_token_current",
            "email_change_confirm_status",
            "phone_change",
            "phone_change_token",
            "phone_change_sent_at",
            "reauthentication_token",
            "reauthentication_sent_at",
            "is_anonymous",
            "phone_confirmed_at"
        )
        user.notes += row.unknown()
        return user
    }

    private func readMetadata(_ row: inout RecordMembers, _ user: inout MovedUser) throws {
        if let data = try Self.object(row.value("raw_user_meta_data") ?? row.value("user_metadata"), "raw_user_meta_data") {
            var data = RecordMembers(data)
            user.account.displayName = try data.text("full_name") ?? data.text("name")
            user.account.photoURL = try data.text("avatar_url") ?? data.text("picture")
            data.pass("name", "picture", "email", "email_verified", "phone_verified", "sub", "iss", "provider_id")
            user.notes += data.unknown("raw_user_meta_data.")
        }
        if let data = try Self.object(row.value("raw_app_meta_data") ?? row.value("app_metadata"), "raw_app_meta_data") {
            user.takeClaims(data.filter { $0.key != "provider" && $0.key != "providers" }, from: "raw_app_meta_data")
        }
    }

    private func readIdentities(_ row: inout RecordMembers, _ user: inout MovedUser) throws {
        for entry in row.value("identities")?.array ?? [] {
            guard let name = entry["provider"]?.string else { throw UnusableRecord("an identity has no provider") }
            if name == "email" || name == "phone" { continue }
            let data = entry["identity_data"]
            guard let providerID = Self.providers[name],
                let rawID = data?["sub"]?.string ?? entry["provider_id"]?.string
            else {
                user.notes.append("the identity at \(TerminalText.printable(String(name.prefix(50)))) is not kept")
                continue
            }
            var provider = ImportedAccount.Provider()
            provider.providerID = providerID
            provider.rawID = rawID
            provider.email = data?["email"]?.string
            provider.displayName = data?["full_name"]?.string ?? data?["name"]?.string
            provider.photoURL = data?["avatar_url"]?.string ?? data?["picture"]?.string
            user.account.providers.append(provider)
        }
    }

    // An object, which CSV has as a text.
    private static func object(_ value: JSONValue?, _ name: String) throws -> JSONObject? {
        guard let value else { return nil }
        let document = value.string.map { try? JSONValue.parse($0.utf8) } ?? value
        guard let members = document?.object else { throw UnusableRecord("\(name) is not a JSON object") }
        return members
    }
}
