package import Messaging
import Project
package import Storage
import Tenancy

/// Invitations to the console. A link is good once and for half an hour; the store keeps the hash of its code only.
package struct OperatorInvitations: Sendable {
    let base: OperatorServices
    let approvals: OperatorApprovals
    let mailer: OOBMailer
    /// Whether mail leaves this server.
    package let canMail: Bool

    /// Whether an owner may see the link of an invitation. With it they could become the second operator themselves, whose consent they
    /// need.
    package var mayShowLink: Bool { !canMail || !approvals.isRequired }

    private static let lifetime = Duration.seconds(1800)
    private static let maximumOpen = 100
    private static let maximumOperators = 1000
    private static let mostOfStarts = 10

    /// How an owner wants the link of an invitation to reach the one it is for.
    package struct Delivery: Sendable {
        let prefersLink: Bool
        let language: EmailLanguage
        let link: @Sendable (String) -> String

        /// - Parameter prefersLink: Whether the owner would pass the link on. It is mailed all the same where ``mayShowLink`` is
        ///   `false`.
        package init(prefersLink: Bool, language: EmailLanguage, link: @escaping @Sendable (String) -> String) {
            self.prefersLink = prefersLink
            self.language = language
            self.link = link
        }
    }

    /// Makes an invitation on behalf of the command line.
    ///
    /// - Parameters:
    ///   - email: Whom it is for. An operator of that address gets new factors by it, and loses the old ones and all sessions.
    ///   - role: The role of a new operator; an operator who exists keeps the role.
    ///   - tenantID: The one tenant to work in; `nil` for all and the project itself.
    package func invite(_ email: String, role: OperatorRole, tenantID: String?, actor: String) async throws -> String {
        let address = try await checked(email, role, tenantID)
        return try await make(Invitee(email: address, role: role, tenantID: tenantID), by: actor)
    }

    // Returns the address in its canonical form.
    private func checked(_ email: String, _ role: OperatorRole, _ tenantID: String?) async throws -> String {
        guard let address = EmailAddress.canonical(email), EmailAddress.isMailable(address) else {
            throw OperatorError.invalidEmail
        }
        try await base.checkBinding(tenantID, of: role)
        return address
    }

    /// Makes an invitation on behalf of an owner, who has just proven a factor, and mails it unless the owner may see its link and
    /// wants to. It takes the place of an earlier one for the same address.
    ///
    /// - Throws: ``OperatorError/notAllowed``, ``OperatorError/needsConfirmation``, ``OperatorError/needsApproval``; `APIError`
    ///   `TOO_MANY_ATTEMPTS_TRY_LATER` when the address got too many mails.
    package func invite(
        _ email: String,
        role: OperatorRole,
        tenantID: String?,
        delivery: Delivery,
        by owner: ConsoleOperator
    ) async throws -> String? {
        try owner.requireManagement()
        try owner.requireConfirmation()
        let address = try await checked(email, role, tenantID)
        let present = try await base.database.read { try $0.consoleOperator(base.projectID, email: address) }
        // An operator who exists gets new factors by the invitation, and keeps role and tenant.
        let parts =
            present == nil
            ? [("do", "invite"), ("email", address), ("role", role.rawValue), ("tenant", tenantID ?? "")]
            : [("do", "newFactors"), ("email", address)]
        let consent = try await approvals.requireToManage(parts, present, becoming: role, invited: address, by: owner)
        let isMailed = canMail && !(mayShowLink && delivery.prefersLink)
        if isMailed { try await base.throttle.mail(to: address, context: owner.call(in: nil)) }
        let invitee = Invitee(email: address, role: role, tenantID: tenantID)
        let code = try await make(invitee, by: owner.actor, mailedBy: isMailed ? delivery : nil) { transaction in
            try base.requireStill(owner, in: transaction)
            let present = try transaction.consoleOperator(base.projectID, email: address)
            try approvals.check(consent, present, in: transaction)
        }
        return isMailed ? nil : code
    }

    /// Makes the first invitation, for an owner, while there is no operator.
    package func firstStart() async throws -> String? {
        guard try await base.database.read({ try $0.countConsoleOperators(base.projectID) == 0 }) else { return nil }
        return try await make(Invitee(email: nil, role: .owner, tenantID: nil), by: nil)
    }

    /// Whom an invitation is for.
    private struct Invitee: Sendable {
        /// `nil` at the first start.
        let email: String?
        let role: OperatorRole
        let tenantID: String?

        /// As the audit trail has it.
        func detail(isMailed: Bool) -> JSONValue {
            guard let email else { return ["role": .string(role.rawValue)] }
            return [
                "email": .string(email), "role": .string(role.rawValue), "tenant": tenantID.map(JSONValue.string) ?? .null,
                "mailed": .bool(isMailed),
            ]
        }
    }

    private func make(
        _ invitee: Invitee,
        by invitedBy: String?,
        mailedBy delivery: Delivery? = nil,
        _ check: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async throws -> String {
        let email = invitee.email
        let (stamp, project) = (base.changeLog.stamp(base.call(by: invitedBy ?? "server")), base.projectID)
        let (code, hash) = base.newToken()
        let record = OperatorInvitationRecord(
            codeHash: hash,
            email: email,
            role: invitee.role.rawValue,
            tenantID: invitee.tenantID,
            invitedBy: invitedBy,
            createdAt: stamp.time,
            expiresAt: stamp.time.advanced(by: Self.lifetime)
        )
        let message = try delivery.flatMap { delivery in
            try email.map { address in
                try mailer.invitation(
                    to: address,
                    link: delivery.link(code),
                    in: delivery.language,
                    scope: base.scope,
                    expiresAt: record.expiresAt
                )
            }
        }
        try await base.database.write { transaction throws in
            try check(transaction)
            if let email { try transaction.deleteOperatorInvitations(project, email: email) }
            if invitedBy == nil {
                // A server that starts again and again must not be stopped by its own invitations.
                for old in try transaction.operatorInvitations(project).filter({ $0.invitedBy == nil }).dropLast(
                    Self.mostOfStarts - 1
                ) {
                    _ = try transaction.deleteOperatorInvitation(project, hash: old.codeHash)
                }
            }
            let open = try transaction.operatorInvitations(project).count { $0.expiresAt > stamp.time }
            guard open < Self.maximumOpen, try transaction.countConsoleOperators(project) < Self.maximumOperators else {
                throw OperatorError.tooMany
            }
            try transaction.insertOperatorInvitation(project, record)
            if let message { try transaction.insertOutboxMessage(message) }
            try stamp.record(.operatorInvited, invitee.detail(isMailed: delivery != nil), in: transaction)
        }
        if message != nil { mailer.wake() }
        return code
    }

    package func pending(code: String) async throws -> OperatorInvitationRecord {
        let (hash, now) = (Self.hash(ofCode: code), base.environment.now())
        let found = try await base.database.read { try $0.invitation(base.projectID, hash: hash, at: now) }
        guard found.knownRole != nil else { throw OperatorError.invitationEnded }
        return found
    }

    static func hash(ofCode code: String) -> [UInt8] { sha256(code.utf8.prefix(256)) }

    package func all(for owner: ConsoleOperator) async throws -> [OperatorInvitationRecord] {
        try owner.requireManagement()
        let now = base.environment.now()
        return try await base.database.read { try $0.operatorInvitations(base.projectID) }
            .filter { $0.expiresAt > now && $0.knownRole != nil }
    }

    package func withdraw(_ id: String, by owner: ConsoleOperator) async throws {
        try owner.requireManagement()
        let project = base.projectID
        try await base.change(.operatorInvitationWithdrawn, by: base.call(by: owner.actor)) { transaction, _ in
            try base.requireStill(owner, in: transaction)
            guard let found = try transaction.operatorInvitations(project).first(where: { $0.id == id }),
                try transaction.deleteOperatorInvitation(project, hash: found.codeHash)
            else { throw OperatorError.invitationEnded }
        }
    }
}

extension OperatorInvitationRecord {
    /// Names it in forms.
    package var id: String { hexadecimal(codeHash) }

    // The role, if this binary knows it.
    fileprivate var knownRole: OperatorRole? { OperatorRole(rawValue: role) }
}

extension Transaction {
    /// The invitation with a hash that is good now. The first start's ends with the first operator.
    func invitation(_ project: String, hash: [UInt8], at now: Timestamp) throws -> OperatorInvitationRecord {
        guard let found = try operatorInvitation(project, hash: hash), now < found.expiresAt,
            try found.invitedBy != nil || countConsoleOperators(project) == 0
        else { throw OperatorError.invitationEnded }
        return found
    }
}
