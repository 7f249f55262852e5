import Accounts
import Project

/// The search of users: the fields of its form, and what they ask for.
struct UserSearch {
    let query: AccountQuery
    /// The pairs that make the same search again.
    let pairs: [(name: String, value: String)]
    private let form: ConsoleForm

    private static let names = [
        "q", "name", "provider", "providerId", "claim", "claimValue", "state", "createdSince", "createdBefore", "seenSince",
        "seenBefore",
    ]

    /// - Parameter role: Roles that do not see whole numbers find a user by the whole number only.
    /// - Throws: `InvalidArgument` for a field that says nothing: without it, the search would find others, or everybody.
    init(_ form: ConsoleForm, role: OperatorRole, _ texts: ConsoleTexts) throws {
        self.form = form
        pairs = Self.names.compactMap { name in form.value(name).map { (name: name, value: $0) } }
        func refused(_ name: String) -> InvalidArgument {
            InvalidArgument(texts.text("users.search.refused", ["field": texts["users.search.\(name)"]]))
        }
        var query = AccountQuery()
        if let text = form.value("q") { Self.read(text, role, into: &query) }
        query.namePrefix = form.value("name")
        if let provider = form.value("provider") {
            // A search by a whole number is one by provider, too.
            guard query.identity == nil else { throw refused("provider") }
            query.identity = .init(providerID: provider, rawID: form.value("providerId"))
        } else if form.value("providerId") != nil {
            throw refused("provider")
        }
        if let claim = form.value("claim") {
            query.claim = .init(name: claim, value: form.value("claimValue"))
        } else if form.value("claimValue") != nil {
            throw refused("claim")
        }
        switch form.value("state") {
        case nil: break
        case "enabled": query.isDisabled = false
        case "disabled": query.isDisabled = true
        case "verified": query.isVerified = true
        case "unverified": query.isVerified = false
        case "anonymous": query.isAnonymous = true
        default: throw refused("state")
        }
        func day(_ name: String) throws -> Timestamp? {
            guard let text = form.value(name) else { return nil }
            guard let day = Self.day(text) else { throw refused(name) }
            return day
        }
        query.created = .init(since: try day("createdSince"), before: try day("createdBefore"))
        query.lastSeen = .init(since: try day("seenSince"), before: try day("seenBefore"))
        self.query = query
    }

    /// Whether the search tells if a whole phone number is there.
    var asksWholeNumber: Bool { query.identity.map { $0.providerID == "phone" && $0.rawID != nil } ?? false }

    // One field takes an address, a number or an id.
    private static func read(_ text: String, _ role: OperatorRole, into query: inout AccountQuery) {
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "+") {
            if role.seesWholeNumbers {
                query.phonePrefix = text
            } else {
                query.identity = .init(providerID: "phone", rawID: text)
            }
        } else if bytes.count >= 20, !bytes.contains(UInt8(ascii: "@")) {
            query.localID = text
        } else {
            query.emailPrefix = text
        }
    }

    // A date field's `2026-11-25` is the beginning of that day in UTC.
    private static func day(_ text: String) -> Timestamp? {
        text.utf8.count == 10 ? Timestamp(rfc3339: text + "T00:00:00Z") : nil
    }

    func form(_ visit: ConsoleVisit) -> Form {
        let texts = visit.texts
        func field(_ name: String, _ kind: Field.Kind = .text) -> Field {
            Field(name: name, label: texts["users.search.\(name)"], kind: kind, value: form[name], maximumLength: 2048)
        }
        let states = ["", "enabled", "disabled", "verified", "unverified", "anonymous"].map {
            Field.Option(text: texts["users.state.\($0.isEmpty ? "any" : $0)"], value: $0)
        }
        return Form(
            action: UsersScreen.path,
            method: .get,
            fields: [
                field("q"), field("name"), field("provider"), field("providerId"), field("claim"), field("claimValue"),
                field("state", .select(states)), field("createdSince", .date), field("createdBefore", .date),
                field("seenSince", .date), field("seenBefore", .date),
            ],
            hidden: visit.tenantFields,
            button: texts["users.search"],
            legend: texts["users.search.title"]
        )
    }
}
