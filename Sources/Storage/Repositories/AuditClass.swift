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

    package init(_ event: AuditEvent) {
        self =
            switch event.kind {
            case .refused: .refusal
            case _ where event.actor != AuditEvent.user: .administration
            case let kind: kind?.facts.recordClass ?? .account
            }
    }
}
