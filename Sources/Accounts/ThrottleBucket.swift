import Project

/// Whom a client's address stands for: an IPv4 address, or the /64 that an IPv6 subscriber has at the least (threat case THR-06).
package struct ClientNetwork: Sendable, Hashable {
    /// Hexadecimal; `nil` for an address that is not known.
    package let key: String?

    /// - Parameter address: The client's address; an IPv6 zone is no part of it, and IPv4 mapped into IPv6 is IPv4.
    package init(_ address: String?) {
        let parsed = address.flatMap { IPAddress(String($0.prefix { $0 != "%" })) }
        key = parsed.map { hexadecimal($0.bytes.prefix($0.bytes.count == 4 ? 4 : 8)) }
    }

    /// The network in a bucket's name: those that are not known are one.
    fileprivate var text: String { key ?? "unknown" }
}

/// The names of what is counted. E-mails and phone numbers are there as hashes only.
enum ThrottleBucket {
    /// Sign-ups from a network.
    static func signUps(from network: ClientNetwork) -> String { "signUps:from:\(network.text)" }

    /// Sign-ups from a network with addresses that have accounts.
    static func takenEmails(from network: ClientNetwork) -> String { "takenEmails:from:\(network.text)" }

    /// Who asks for a message to a recipient.
    enum Asker {
        case anybody
        /// A network that has signed in to the recipient's account.
        case usual(ClientNetwork)
        case administrator
    }

    /// Messages to a recipient: each kind of asker has a share.
    static func mails(to email: String, askedBy asker: Asker) -> String {
        let share =
            switch asker {
            case .anybody: ""
            case .usual(let network): ":from:\(network.text)"
            case .administrator: ":administrator"
            }
        return "mails:to:\(hash(email))\(share)"
    }

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

    /// Changes that an account made to itself.
    static func changes(of localID: String) -> String { "changes:of:\(localID)" }

    /// Sessions of an account that ended for new ones.
    static func surplusSessions(of localID: String) -> String { "surplusSessions:of:\(localID)" }

    /// Notices to a recipient of changes to an account.
    static func notices(to email: String) -> String { "notices:to:\(hash(email))" }

    /// Assertions of service accounts from a network that were refused.
    static func assertions(from network: ClientNetwork) -> String { "assertions:from:\(network.text)" }

    /// Refusals from a network that the audit trail tells of.
    static func refusals(from network: ClientNetwork) -> String { "refusals:from:\(network.text)" }

    /// Text messages to all numbers that begin alike.
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
    ///   - email: Of the account, if there is one.
    ///   - usual: A network that counts by itself; `nil` for all the others together.
    /// - Returns: The bucket's name.
    static func passwords(of email: String, from usual: ClientNetwork?) -> String {
        "passwords:of:\(hash(email))" + (usual.map { ":from:\($0.text)" } ?? "")
    }

    /// That a network has signed in to an account; `nil` for one that is not known, which could be anybody's.
    static func usual(_ network: ClientNetwork, of localID: String) -> String? { network.key.map { "usual:\(localID):\($0)" } }

    /// Wrong codes of an account's second factors; `nil` for all networks together that are not usual for it.
    static func secondFactors(of localID: String, from usual: ClientNetwork?) -> String {
        "secondFactors:of:\(localID)" + (usual.map { ":from:\($0.text)" } ?? "")
    }

    /// That a second factor of an account was shown from a network; `nil` for one that is not known.
    static func usualForSecondFactors(_ network: ClientNetwork, of localID: String) -> String? {
        network.key.map { "usualForSecondFactors:\(localID):\($0)" }
    }

    // What is no e-mail has no account, and counts all the same.
    private static func hash(_ email: String) -> String { hexadecimal(sha256((EmailAddress.canonical(email) ?? email).utf8)) }
}
