import Accounts
import Project

/// The CSV of `firebase auth:export` (`Docs/Contract/admin-accounts.md` §17.2): cells by their positions, without a header.
struct FirebaseCSVFormat: UserFileFormat {
    /// The column of each provider's four cells: id, e-mail, name, photo.
    static let providers: [(id: String, column: Int)] = [
        ("google.com", 7), ("facebook.com", 11), ("twitter.com", 15), ("github.com", 19), ("apple.com", 28),
        ("microsoft.com", 32), ("gc.apple.com", 36), ("playgames.google.com", 40), ("linkedin.com", 44), ("yahoo.com", 48),
    ]
    static let claimsColumn = 27
    /// How many cells a row of `postern users export` has, and of `firebase auth:export` since 15.19.
    static let width = 53
    // Rows of the oldest tools have neither `disabled` nor claims.
    private static let narrowest = 26

    // Firebase's tools never put quotes around a photo's address, whatever is in it.
    var mayHoldInjectedRows: Bool { true }

    func records(of bytes: FileBytes) throws -> any FileRecords {
        FirebaseCSVRecords(bytes)
    }

    func user(_ content: FileRecord.Content) throws -> MovedUser {
        guard case .cells(let cells) = content else {
            if case .unreadable(let reason) = content { throw UnusableRecord(reason) }
            throw UnusableRecord("the record is not a line of cells")
        }
        guard cells.count >= Self.narrowest else { throw UnusableRecord("there are \(cells.count) cells") }
        let isOwn = cells.count >= Self.width - 1
        func cell(_ column: Int) throws -> String? {
            guard column < cells.count else { return nil }
            let text = isOwn ? Self.restored(cells[column]) : cells[column]
            if text.utf8.contains(0) { throw UnusableRecord("cell \(column + 1) contains the character U+0000") }
            return text.isEmpty ? nil : text
        }
        func time(_ column: Int) throws -> Timestamp? {
            guard let text = try cell(column) else { return nil }
            guard let number = Int64(text) else { throw UnusableRecord("cell \(column + 1) is not a time in milliseconds") }
            return Timestamp(milliseconds: number)
        }
        var account = ImportedAccount()
        guard let localID = try cell(0) else { throw UnusableRecord("there is no id in the first cell") }
        account.localID = localID
        account.email = try cell(1)
        account.emailVerified = try cell(2) == "true"
        account.passwordHash = try cell(3)
        account.salt = try cell(4)
        account.displayName = try cell(5)
        account.photoURL = try cell(6)
        account.createdAt = try time(23)
        account.lastLoginAt = try time(24)
        account.phoneNumber = try cell(25)
        account.isDisabled = try cell(26) == "true"
        account.customAttributes = try cell(Self.claimsColumn)
        for (id, column) in Self.providers {
            guard let rawID = try cell(column) else { continue }
            var provider = ImportedAccount.Provider()
            provider.providerID = id
            provider.rawID = rawID
            provider.email = try cell(column + 1)
            provider.displayName = try cell(column + 2)
            provider.photoURL = try cell(column + 3)
            account.providers.append(provider)
        }
        return MovedUser(account: account)
    }

    /// A cell that no spreadsheet interprets as a formula (threat case IMP-04). ``restored(_:)`` takes the mark away again.
    static func neutralized(_ text: String) -> String { isMarked(text) ? "'" + text : text }

    private static func restored(_ text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "'") else { return text }
        let rest = String(decoding: text.utf8.dropFirst(), as: UTF8.self)
        return isMarked(rest) ? rest : text
    }

    // A text that begins with marks gets one more where the rest is a formula, so that exactly one can be taken away.
    private static func isMarked(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 == UInt8(ascii: "'") }
        switch rest.first {
        case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): return true
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            return !rest.dropFirst().allSatisfy {
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isLetter
                    || Character(UnicodeScalar($0)).isNumber
            }
        default: return false
        }
    }
}
