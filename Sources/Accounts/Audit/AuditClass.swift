import Storage

/// The kinds of audit records, each with a chain and a time of retention of its own.
package enum AuditClass: String, Sendable, CaseIterable {
    /// Users came in.
    case signIn
    /// A call was refused.
    case refusal
    /// Users did something else.
    case account
    /// Administrators, operators and service accounts did something.
    case administration

    private static let signIns: Set<String> = ["signIn", "signUp", "firstFactor"]

    /// The class of an event.
    init(_ event: AuditEvent) {
        self =
            if event.event == AuditEvent.refused {
                .refusal
            } else if event.actor != AuditEvent.user {
                .administration
            } else {
                Self.signIns.contains(event.event) ? .signIn : .account
            }
    }
}
