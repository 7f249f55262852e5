import Project

/// The names of counts that belong to no account, see ``AccountBucket``. E-mails and phone numbers appear only as hashes.
enum ThrottleBucket {
    /// A count by network, and its limit.
    struct Limited: Sendable {
        let name: String
        let limit: Int
    }

    /// The counts of an event of a client: that of its network, and those of the wider networks, the narrowest first.
    ///
    /// - Parameters:
    ///   - network: The client's network.
    ///   - limit: The limit of a single network.
    ///   - name: The name of a network's count.
    /// - Returns: The counts.
    static func counts(of network: ClientNetwork, limit: Int, _ name: (ClientNetwork) -> String) -> [Limited] {
        [Limited(name: name(network), limit: limit)]
            + network.wider.map { Limited(name: name($0.network), limit: $0.limit(limit)) }
    }

    /// Sign-ups from a network.
    static func signUps(from network: ClientNetwork) -> String { "signUps:from:\(network.text)" }

    /// Sign-ups from a network with addresses that have accounts.
    static func takenEmails(from network: ClientNetwork) -> String { "takenEmails:from:\(network.text)" }

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

    /// Messages that a network asked for.
    static func mails(from network: ClientNetwork) -> String { "mails:from:\(network.text)" }

    /// Text messages to a number.
    static func messages(to number: String) -> String { "sms:to:\(hexadecimal(sha256(number.utf8)))" }

    /// Text messages to a number in a day.
    static func messagesOfDay(to number: String) -> String { "sms:day:\(hexadecimal(sha256(number.utf8)))" }

    /// Wrong codes for a fictional number.
    static func guesses(of testNumber: String) -> String { "sms:guesses:\(hexadecimal(sha256(testNumber.utf8)))" }

    /// Codes for fictional numbers that a network asked for.
    static func testMessages(from network: ClientNetwork) -> String { "sms:test:\(network.text)" }

    /// Sign-ins at providers that a network began.
    static func flows(from network: ClientNetwork) -> String { "flows:from:\(network.text)" }

    /// Notices to a recipient of changes to an account.
    static func notices(to email: String) -> String { "notices:to:\(hash(email))" }

    /// Notices to a recipient of new passwords, whose number never refuses the password.
    static func passwordNotices(to email: String) -> String { "passwordNotices:to:\(hash(email))" }

    /// Assertions of service accounts from a network that were refused.
    static func assertions(from network: ClientNetwork) -> String { "assertions:from:\(network.text)" }

    /// Calls of other servers for a network that came to nothing.
    static func refusedCalls(from network: ClientNetwork) -> String { "refusedCalls:from:\(network.text)" }

    /// Passwords that users of a network have set.
    static func newPasswords(from network: ClientNetwork) -> String { "newPasswords:from:\(network.text)" }

    /// Recorded refusals from a network.
    static func refusals(from network: ClientNetwork) -> String { "refusals:from:\(network.text)" }

    /// Text messages to all numbers with the same prefix.
    static func messages(toPrefix prefix: String) -> String { "sms:prefix:\(hexadecimal(sha256(prefix.utf8)))" }

    /// Text messages that a network asked for.
    static func messages(from network: ClientNetwork) -> String { "sms:from:\(network.text)" }

    /// All text messages.
    static let allMessages = "sms:all"

    /// Proofs of apps that a network asked for.
    static func appProofs(from network: ClientNetwork) -> String { "appProofs:from:\(network.text)" }

    /// Wrong passwords from a network.
    static func passwords(from network: ClientNetwork) -> String { "passwords:from:\(network.text)" }

    /// Wrong passwords in a row on an account.
    ///
    /// - Parameters:
    ///   - email: The address as sent; it need not have an account.
    ///   - usual: A network with a count of its own; `nil` for all others together.
    /// - Returns: The bucket's name.
    static func passwords(of email: String, from usual: ClientNetwork?) -> String {
        "passwords:of:\(hash(email))" + (usual.map { ":from:\($0.text)" } ?? "")
    }

    /// Tries of operators from a network.
    static func operators(from network: ClientNetwork) -> String { "operators:from:\(network.text)" }

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
