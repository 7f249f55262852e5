import Accounts
import Foundation
import Project
import TestKit

@testable import UserFiles

/// A user as the Identity Toolkit lists him to `firebase auth:export`.
struct ListedUser: Hashable {
    struct Link: Hashable {
        let rawID: String
        var email = ""
        var name = ""
        var photo = ""
    }

    var id: String
    var email = ""
    var isVerified = false
    var hash = ""
    var salt = ""
    var name = ""
    var photo = ""
    /// By the column of the provider.
    var links: [Int: Link] = [:]
    var createdAt: Int64? = 1_600_000_000_000
    var lastLoginAt: Int64?
    var phone = ""
    var isDisabled: Bool?
    var claims = ""

    init(id: String) { self.id = id }

    /// What the importer made of a row.
    init(_ account: ImportedAccount) {
        id = account.localID
        (email, isVerified) = (account.email ?? "", account.emailVerified)
        (hash, salt) = (account.passwordHash ?? "", account.salt ?? "")
        (name, photo) = (account.displayName ?? "", account.photoURL ?? "")
        (createdAt, lastLoginAt) = (account.createdAt?.milliseconds, account.lastLoginAt?.milliseconds)
        (phone, isDisabled, claims) = (account.phoneNumber ?? "", account.isDisabled, account.customAttributes ?? "")
        for link in account.providers {
            guard let column = FirebaseCSVFormat.providers.first(where: { $0.id == link.providerID })?.column else { continue }
            links[column] = Link(
                rawID: link.rawID ?? "",
                email: link.email ?? "",
                name: link.displayName ?? "",
                photo: link.photoURL ?? ""
            )
        }
    }

    var texts: [String] { [name] + links.values.map(\.name) }

    /// As an account has it: switched off or not.
    var settled: ListedUser {
        var user = self
        user.isDisabled = isDisabled ?? false
        return user
    }
}

/// The lines that a release of Firebase's tools writes.
enum FirebaseTools: CaseIterable {
    /// Without `disabled` and claims.
    case oldest
    case withDisabled
    case withClaims
    case withQuotes
    /// All providers, and names by RFC 4180.
    case newest

    /// How many cells a row has, without the empty one behind the last comma.
    var width: Int {
        switch self {
        case .oldest: 26
        case .withDisabled: 27
        case .withClaims, .withQuotes: 28
        case .newest: 52
        }
    }

    func line(_ user: ListedUser, end: String) -> String {
        var cells = [String](repeating: "", count: width)
        (cells[0], cells[1], cells[2]) = (user.id, user.email, user.isVerified ? "true" : "false")
        (cells[3], cells[4], cells[5], cells[6]) = (user.hash, user.salt, quoted(user.name), user.photo)
        for (column, link) in user.links where column < width {
            (cells[column], cells[column + 1]) = (link.rawID, link.email)
            (cells[column + 2], cells[column + 3]) = (quoted(link.name), link.photo)
        }
        cells[23] = user.createdAt.map { String($0) } ?? ""
        cells[24] = user.lastLoginAt.map { String($0) } ?? ""
        cells[25] = user.phone
        if width > 26 { cells[26] = user.isDisabled.map { $0 ? "true" : "false" } ?? "" }
        if width > 27, !user.claims.isEmpty { cells[27] = self == .withClaims ? user.claims : quotedClaims(user.claims) }
        return cells.map { $0 + "," }.joined() + end
    }

    private func quoted(_ text: String) -> String {
        if self == .newest {
            guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
            return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
        return text.utf8.contains(UInt8(ascii: ",")) ? "\"\(text)\"" : text
    }

    private func quotedClaims(_ text: String) -> String {
        var bytes: [UInt8] = []
        var last: UInt8?
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { bytes.append(byte) }
            bytes.append(byte)
            last = byte
        }
        return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    }

    /// What of a user a file of this release has.
    func exported(_ user: ListedUser) -> ListedUser {
        var user = user.settled
        if width <= 26 { user.isDisabled = false }
        if width <= 27 { user.claims = "" }
        user.links = user.links.filter { $0.key < width }
        return user
    }

    /// The rows of a file, as an import reads them.
    static func rows(of text: String) async throws -> [UserReader.Row] {
        try await withTemporaryDirectory { directory in
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/f.csv"))
            let reader = UserReader(try UserFile(directory + "/f.csv", format: .csv, now: Timestamp(seconds: 1_700_000_000)))
            var rows: [UserReader.Row] = []
            var part: UserReader.Part
            repeat {
                part = try await reader.next()
                rows += part.rows
            } while !part.isLast
            if let fault = part.fault { throw fault }
            return rows
        }
    }
}

/// Random numbers that are the same at each run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
