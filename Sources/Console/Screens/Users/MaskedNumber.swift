import Accounts
import Project

/// Phone numbers as a role sees them: support agents and viewers know a number by its ends.
enum MaskedNumber {
    /// The number, or its country code's digits and its last two.
    static func text(_ number: String, for role: OperatorRole) -> String {
        guard !role.seesWholeNumbers else { return number }
        let bytes = Array(number.utf8)
        guard bytes.count > 6 else { return "••••" }
        let (head, tail) = (bytes.prefix(3), bytes.suffix(2))
        return String(decoding: head, as: UTF8.self) + "•••••" + String(decoding: tail, as: UTF8.self)
    }
}
