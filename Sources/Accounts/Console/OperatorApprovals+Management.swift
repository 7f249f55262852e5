import Project
import Storage

extension OperatorApprovals {
    /// A change of who may agree to requests, with what it was agreed to.
    struct ManagementConsent: Sendable {
        fileprivate let owner: ConsoleOperator
        /// `nil` where none was needed.
        fileprivate let given: OperatorConsent?
        fileprivate let before: OperatorRecord?
        fileprivate let after: OperatorRole?
        /// The address that is invited, whose earlier invitation ends.
        fileprivate let invited: String?
    }

    /// Finds another operator's consent to a change of who may agree to requests, or asks for it.
    ///
    /// An operator who made a second one alone could agree to the own requests. While nobody else could agree or is invited to, there is
    /// no consent, and none is needed; nor is it for what the command line does.
    ///
    /// - Parameters:
    ///   - parts: Everything that decides what happens, besides the operator's present role and tenant.
    ///   - invited: The address that is invited, if the change is that. An earlier invitation for it does not count, as it ends.
    func requireToManage(
        _ parts: [(name: String, value: String)],
        _ before: OperatorRecord?,
        becoming after: OperatorRole?,
        invited: String? = nil,
        by owner: ConsoleOperator
    ) async throws -> ManagementConsent {
        guard isRequired else { return consentUnasked(by: owner) }
        let isNeeded = try await base.database.read {
            try needsConsent([before?.knownRole, after], owner, invited: invited, in: $0)
        }
        var given: OperatorConsent?
        if isNeeded {
            let present = [("from", before?.role ?? ""), ("of", before?.tenantID ?? "")]
            given = try await consent(to: Subject(.operators, in: nil, parts + present), by: owner)
        }
        return ManagementConsent(owner: owner, given: given, before: before, after: after, invited: invited)
    }

    /// What goes with a change where nobody is asked for consent.
    func consentUnasked(by owner: ConsoleOperator) -> ManagementConsent {
        ManagementConsent(owner: owner, given: nil, before: nil, after: nil, invited: nil)
    }

    /// Checks that a change is still the one that was agreed to, and uses the consent up; or that it still needs none.
    ///
    /// - Throws: ``OperatorError/needsApproval``.
    func check(_ consent: ManagementConsent, _ present: OperatorRecord?, in transaction: Transaction) throws {
        guard isRequired else { return }
        let isSame = present?.role == consent.before?.role && present?.tenantID == consent.before?.tenantID
        if let given = consent.given, isSame { return try given.use(in: transaction) }
        if try needsConsent([present?.knownRole, consent.after], consent.owner, invited: consent.invited, in: transaction) {
            throw OperatorError.needsApproval
        }
    }

    private func needsConsent(
        _ roles: [OperatorRole?],
        _ owner: ConsoleOperator,
        invited: String?,
        in transaction: Transaction
    ) throws -> Bool {
        guard roles.contains(where: Self.mayAgree) else { return false }
        let now = base.environment.now()
        return try transaction.consoleOperators(base.projectID).contains { record in
            record.operatorID != owner.operatorID && record.tenantID == nil && Self.mayAgree(record.knownRole)
        }
            || transaction.operatorInvitations(base.projectID).contains { invitation in
                now < invitation.expiresAt && invitation.email != invited && invitation.invitedBy != nil
                    && invitation.tenantID == nil
                    && Self.mayAgree(OperatorRole(rawValue: invitation.role))
            }
    }

    private static func mayAgree(_ role: OperatorRole?) -> Bool { role?.scopes.isSuperset(of: .all) == true }
}

extension OperatorRecord {
    fileprivate var knownRole: OperatorRole? { OperatorRole(rawValue: role) }
}
