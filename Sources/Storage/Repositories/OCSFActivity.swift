/// The class and activity of an audit record in the Open Cybersecurity Schema Framework 1.3.0.
package struct OCSFActivity: Sendable, Equatable {
    package let classUID: Int64
    package let id: Int64

    /// Authentication (3002).
    package enum Authentication: Int64 { case logon = 1, logoff, ticket, preauthentication = 6, other = 99 }

    /// Account Change (3001).
    package enum Account: Int64 {
        case create = 1, enable, passwordChange, passwordReset, disable, delete
        case factorEnable = 10
        case factorDisable, other = 99
    }

    /// Entity Management (3004): configuration, credentials, and whatever else is no account.
    package enum Entity: Int64 { case create = 1, read, update, delete, other = 99 }

    package static func authentication(_ activity: Authentication) -> OCSFActivity {
        .init(classUID: 3002, id: activity.rawValue)
    }

    package static func account(_ activity: Account) -> OCSFActivity { .init(classUID: 3001, id: activity.rawValue) }

    package static func entity(_ activity: Entity) -> OCSFActivity { .init(classUID: 3004, id: activity.rawValue) }

    package var typeUID: Int64 { classUID * 100 + id }
}
