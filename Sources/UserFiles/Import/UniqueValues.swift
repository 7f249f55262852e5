import Accounts
import Crypto
import Foundation
import Project

/// What only one account may have, as eight bytes for each value.
private struct UniqueValue {
    let name: String
    let key: UInt64

    init(_ name: String, _ text: String) {
        self.name = name
        key = SHA256.hash(data: Data(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func all(of account: ImportedAccount) -> [UniqueValue] {
        var values = [UniqueValue("the id", "i\(account.localID)")]
        if let email = account.email { values.append(UniqueValue("the address", "e\(email.lowercased())")) }
        if let number = account.phoneNumber { values.append(UniqueValue("the phone number", "p\(number)")) }
        for provider in account.providers {
            guard let id = provider.providerID, let rawID = provider.rawID, id != "password", id != "phone" else { continue }
            values.append(UniqueValue("the identity at \(TerminalText.printable(id))", "\(id)\u{0}\(rawID)"))
        }
        return values
    }
}

/// The unique values of earlier rows in a dry run.
struct SeenKeys {
    private var keys: Set<UInt64> = []

    /// Remembers the unique values of a row, and returns the first one that an earlier row has.
    mutating func firstRepeated(in account: ImportedAccount) -> String? {
        var found: String?
        for value in UniqueValue.all(of: account) where !keys.insert(value.key).inserted { found = found ?? value.name }
        return found
    }
}

/// The unique values that several rows of a file claim, where a user's text may look like a row: none of the rows is believed (threat case
/// IMP-06). The same row twice is no contest.
struct ContestedValues {
    /// What is said of a value.
    static let reason = """
        stands in several rows of the file, of which one may be a user's text that looks like a row: import JSON \
        (firebase auth:export --format=json)
        """

    private let sharesAddresses: Bool
    private var owners: [UInt64: Int] = [:]
    private var contested: Set<UInt64> = []

    /// - Parameter sharesAddresses: Whether several accounts may have one address.
    init(sharesAddresses: Bool) { self.sharesAddresses = sharesAddresses }

    /// Notes the values of a row.
    mutating func note(_ account: ImportedAccount) {
        var hasher = Hasher()
        account.hash(into: &hasher)
        let row = hasher.finalize()
        for value in values(of: account) where owners.updateValue(row, forKey: value.key).map({ $0 != row }) == true {
            contested.insert(value.key)
        }
    }

    /// Gives back the memory of the values that one row has.
    mutating func forgetUncontested() { owners = [:] }

    /// The first value of a row that other rows claim, too.
    func first(in account: ImportedAccount) -> String? {
        contested.isEmpty ? nil : values(of: account).first { contested.contains($0.key) }?.name
    }

    private func values(of account: ImportedAccount) -> [UniqueValue] {
        UniqueValue.all(of: account).filter { !sharesAddresses || $0.name != "the address" }
    }
}
