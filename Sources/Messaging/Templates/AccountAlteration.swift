/// A change of an account that its owner is told about. Each has a phrase in every language.
package enum AccountAlteration: Sendable, Hashable {
    case passkeyAdded
    case passkeyRemoved
    case providerAdded(String)
    case providerRemoved(String)
    case phoneAdded
    case phoneRemoved
    case passwordSet
    case passwordRemoved
    case passwordReset
    case emailRemoved
    case emailLinkAdded
    case secondFactorRemoved

    /// The names of all phrases that the texts of a language must have.
    static let names: [String] = [
        "passkeyAdded", "passkeyRemoved", "providerAdded", "providerRemoved", "phoneAdded", "phoneRemoved", "passwordSet",
        "passwordRemoved", "passwordReset", "emailRemoved", "emailLinkAdded", "secondFactorRemoved",
    ]

    /// The name of its phrase.
    var name: String {
        switch self {
        case .passkeyAdded: "passkeyAdded"
        case .passkeyRemoved: "passkeyRemoved"
        case .providerAdded: "providerAdded"
        case .providerRemoved: "providerRemoved"
        case .phoneAdded: "phoneAdded"
        case .phoneRemoved: "phoneRemoved"
        case .passwordSet: "passwordSet"
        case .passwordRemoved: "passwordRemoved"
        case .passwordReset: "passwordReset"
        case .emailRemoved: "emailRemoved"
        case .emailLinkAdded: "emailLinkAdded"
        case .secondFactorRemoved: "secondFactorRemoved"
        }
    }

    /// Whether the change only takes a way to sign in, or a second factor, away.
    package var isRemoval: Bool {
        switch self {
        case .passkeyRemoved, .providerRemoved, .phoneRemoved, .passwordRemoved, .emailRemoved, .secondFactorRemoved: true
        case .passkeyAdded, .providerAdded, .phoneAdded, .passwordSet, .passwordReset, .emailLinkAdded: false
        }
    }

    /// The id of the provider that was added or removed.
    var provider: String? {
        switch self {
        case .providerAdded(let id), .providerRemoved(let id): id
        default: nil
        }
    }
}
