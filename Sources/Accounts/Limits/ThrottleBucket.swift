import Project

/// The names of counts that belong to no account, see ``AccountBucket``; those of networks stand in ``RateLimit``. E-mails and phone numbers appear only as hashes.
enum ThrottleBucket {
    /// Recorded refusals of a network, which are counted and not refused.
    static let refusals = "refusals:from:"

    /// A count by network, and its limit.
    struct Limited: Sendable {
        let name: String
        let limit: Int
    }

    /// The counts of an event of a client: that of its network, and those of the wider networks, the narrowest first.
    ///
    /// - Parameter name: The beginning of the counts' names.
    static func counts(of network: ClientNetwork, limit: Int, named name: String) -> [Limited] {
        network.limits(limit).map { Limited(name: name + $0.network.text, limit: $0.limit) }
    }

    /// The kinds of caller who ask for a message to a recipient.
    enum Asker {
        case anybody
        /// A network that has signed in to the recipient's account.
        case usual(ClientNetwork)
        case administrator
    }

    /// Messages to a recipient, counted separately for each kind of caller.
    static func mails(to email: String, askedBy asker: Asker) -> String {
        let share =
            switch asker {
            case .anybody: ""
            case .usual(let network): ":from:\(network.text)"
            case .administrator: ":administrator"
            }
        return "mails:to:\(hash(email))\(share)"
    }

    /// The message of the day that lets a new user prove the address, see ``Throttle/mail(_:to:context:)``.
    static func proofMails(to email: String) -> String { "proofMails:to:\(hash(email))" }

    static func messages(to number: String) -> String { "sms:to:\(hexadecimal(sha256(number.utf8)))" }

    static func messagesOfDay(to number: String) -> String { "sms:day:\(hexadecimal(sha256(number.utf8)))" }

    /// Wrong codes for a fictional number.
    static func guesses(of testNumber: String) -> String { "sms:guesses:\(hexadecimal(sha256(testNumber.utf8)))" }

    /// Notices to a recipient of changes to an account.
    static func notices(to email: String) -> String { "notices:to:\(hash(email))" }

    /// Notices to a recipient of new passwords, whose number never refuses the password.
    static func passwordNotices(to email: String) -> String { "passwordNotices:to:\(hash(email))" }

    /// Text messages to all numbers with the same prefix.
    static func messages(toPrefix prefix: String) -> String { "sms:prefix:\(hexadecimal(sha256(prefix.utf8)))" }

    /// All text messages.
    static let allMessages = "sms:all"

    /// Wrong passwords in a row on an account.
    ///
    /// - Parameter usual: A network with a count of its own; `nil` for all others together.
    static func passwords(of email: String, from usual: ClientNetwork?) -> String {
        "passwords:of:\(hash(email))" + (usual.map { ":from:\($0.text)" } ?? "")
    }

    /// Failed tries of an operator, for a network with a count of its own, or `nil` for all others together.
    static func operators(named email: String, from usual: ClientNetwork?) -> String {
        "operators:of:\(hash(email))" + (usual.map { ":from:\($0.text)" } ?? "")
    }

    /// Failed tries of a signed-in operator to prove password and code again.
    static func confirmations(ofSession hash: [UInt8]) -> String { "operators:session:\(hexadecimal(hash))" }

    /// An operator's searches for phone numbers.
    static func numberSearches(of operatorID: String) -> String { "numberSearches:of:\(operatorID)" }

    /// The users whom a run over a search has changed.
    static func changes(ofRun runID: String) -> String { "changes:ofRun:\(runID)" }

    /// The mark of a network from which an operator has signed in; `nil` for an unknown network.
    static func usualForOperators(_ network: ClientNetwork, of email: String) -> String? {
        network.key.map { "usualForOperators:\(hash(email)):\($0)" }
    }

    // A text that is not an e-mail address has no account, but is counted the same.
    private static func hash(_ email: String) -> String { hexadecimal(sha256((EmailAddress.canonical(email) ?? email).utf8)) }
}
