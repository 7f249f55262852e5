import Accounts
import HTTPAPI
import Project

/// The JSON of `firebase auth:export` and `postern users export`, and the emulator's `accounts.json`
/// (`Docs/Contract/admin-accounts.md` §17.1). It also reads the members of `batchGet`, and `passwordParameters`.
struct FirebaseJSONFormat: UserFileFormat {
    private static let names = ImportedAccount.memberNames.union(["lastSignedInAt", "validSince", "passwordParameters"])
    // Known members that an imported account does not keep.
    private static let passed: Set<String> = ["version", "passwordUpdatedAt", "lastRefreshAt"]

    func records(of bytes: FileBytes) throws -> any FileRecords { JSONRecords(bytes, member: "users") }

    func user(_ content: FileRecord.Content) throws -> MovedUser {
        guard case .object(var members) = content else {
            if case .unreadable(let reason) = content { throw UnusableRecord(reason) }
            throw UnusableRecord("the record is not a JSON object")
        }
        if let time = members["lastSignedInAt"], members["lastLoginAt"] == nil { members["lastLoginAt"] = time }
        var user = MovedUser(account: try ImportedAccount(userInfo: members))
        if let text = members["validSince"] {
            guard let seconds = text.integer ?? text.string.flatMap({ Int64($0) }), seconds >= 0 else {
                throw UnusableRecord("validSince is not a number of seconds")
            }
            user.account.validSince = seconds
        }
        user.account.passwordParameters = members["passwordParameters"]
        user.notes = members.keys.map(\.text).filter { !Self.names.contains($0) && !Self.passed.contains($0) }.sorted()
            .map { "\(TerminalText.printable(String($0.prefix(100)))) is not kept" }
        if user.account.passwordHash == "UkVEQUNURUQ=" {
            // An export by an administrator without the right to see hashes.
            user.account.passwordHash = nil
            user.notes.append("passwordHash is redacted, so the account has no password")
        }
        return user
    }
}
