import Accounts
import Project
import Testing

@testable import UserFiles

@Suite("Rows that users plant in the CSV of Firebase's tools (IMP-06)")
struct PlantedRowTests {
    private static let google = 7

    private func user(_ number: Int) -> ListedUser {
        var user = ListedUser(id: "u\(number)")
        (user.email, user.isVerified) = ("u\(number)@example.com", true)
        (user.hash, user.salt, user.name) = (
            "aGFzaA==", "c2FsdA==", number.isMultiple(of: 3) ? "Doe, \(number)" : "User \(number)"
        )
        user.phone = "+1555555\(1000 + number)"
        user.links[Self.google] = ListedUser.Link(rawID: "g\(number)", email: user.email, name: "", photo: "")
        user.isDisabled = false
        return user
    }

    // What of a victim the planted row claims.
    private func thief(_ number: Int, of victim: ListedUser, _ what: Int) -> ListedUser {
        var thief = ListedUser(id: "thief\(number)")
        (thief.email, thief.isVerified, thief.createdAt) = ("thief\(number)@example.com", true, 1_500_000_000_000)
        switch what {
        case 0: thief.id = victim.id
        case 1: thief.email = victim.email.uppercased()
        case 2: thief.phone = victim.phone
        default: thief.links[Self.google] = victim.links[Self.google]
        }
        return thief
    }

    /// A text that ends its row as a row ends, goes on with a whole row, and begins one more, up to the cell in which the text stands.
    private func text(_ tools: FirebaseTools, planting thief: ListedUser, in column: Int, _ number: Int) -> String {
        let tail = (column + 1..<tools.width).map { $0 == FirebaseCSVCell.created ? "1500000000000" : "" }.joined(separator: ",")
        let head = ["last\(number)", "last\(number)@example.com", "true", "", "", "", ""].prefix(column).joined(separator: ",")
        let planted = tools.line(thief, end: "\n")
        return column == 5 ? "x\",\(tail),\n\(planted)\(head),\"y" : "x,\(tail),\n\(planted)\(head),"
    }

    @Test(
        "take nothing of another user of the file, whatever they claim, and cost only the rows that they contest",
        arguments: FirebaseTools.allCases,
        [5, 6]
    )
    func property(tools: FirebaseTools, column: Int) async throws {
        var generator = SeededGenerator(seed: 33)
        var users = (0..<400).map(user)
        var victims: Set<String> = []
        let attackers = Set((0..<40).map { _ in Int.random(in: 0..<users.count, using: &generator) })
        for number in attackers.sorted() {
            let victim = Int.random(in: 0..<users.count, using: &generator)
            guard !attackers.contains(victim) else { continue }
            victims.insert(users[victim].id)
            let thief = thief(number, of: user(victim), number % 4)
            let planted = text(tools, planting: thief, in: column, number)
            if column == 5 { users[number].name = planted } else { users[number].photo = planted }
        }
        let rows = try await FirebaseTools.rows(of: users.map { tools.line($0, end: "\n") }.joined())
        let read = rows.compactMap { try? $0.user.get().account }
        // The rows are there: nothing in the file tells them from others.
        if column == 6 { #expect(read.contains { $0.createdAt == Timestamp(milliseconds: 1_500_000_000_000) }) }
        var contested = ContestedValues(sharesAddresses: false)
        for account in read { contested.note(account) }
        let believed = read.filter { contested.first(in: $0) == nil }
        let honest = users.indices.filter { !attackers.contains($0) }.map { tools.exported(users[$0]) }
        for account in believed.map(ListedUser.init) {
            for owner in honest {
                let claims =
                    account.id == owner.id || account.email.lowercased() == owner.email
                    || !account.phone.isEmpty && account.phone == owner.phone
                    || account.links.values.contains { link in owner.links.values.contains { $0.rawID == link.rawID } }
                if claims { #expect(account == owner) }
            }
        }
        let back = Set(believed.map(ListedUser.init))
        for owner in honest where !victims.contains(owner.id) { #expect(back.contains(owner), "\(owner.id)") }
    }

    @Test("contest nothing where a row stands twice, and no address where several accounts may have it")
    func repeated() {
        var account = ImportedAccount()
        (account.localID, account.email) = ("a", "a@b.c")
        var other = account
        other.localID = "b"
        var values = ContestedValues(sharesAddresses: false)
        for _ in 0..<2 { values.note(account) }
        #expect(values.first(in: account) == nil)
        values.note(other)
        values.forgetUncontested()
        #expect(values.first(in: account) == "the address" && values.first(in: other) == "the address")
        values = ContestedValues(sharesAddresses: true)
        for row in [account, other] { values.note(row) }
        #expect(values.first(in: account) == nil)
        other.localID = "a"
        values.note(other)
        #expect(values.first(in: account) == nil)
        other.displayName = "B"
        values.note(other)
        #expect(values.first(in: account) == "the id" && values.first(in: other) == "the id")
    }
}
