package import Project
import Storage

/// What two operators do together: one asks, another one agrees, and the first does it (`console.approvals`).
///
/// Consent holds for one action, named by a fingerprint of all its parts, and for one use.
package struct OperatorApprovals: Sendable {
    let base: OperatorServices
    /// `console.approvals`
    package let isRequired: Bool

    private static let asked = Duration.seconds(8 * 3600)
    private static let agreed = Duration.seconds(1800)
    private static let maximumOpen = 100
    private static let maximumOpenOfOne = 10

    /// The kinds of actions that two operators do together.
    package enum Action: String, Sendable, CaseIterable {
        /// Deleting several users at once.
        case deletion
        /// Taking password hashes away, in a file of users or a backup.
        case export
        /// Changing the keys that sign.
        case keys
        /// Changing who may agree.
        case operators
        /// Making credentials for programs, which know nothing of consent.
        case credentials
    }

    /// An action, whole.
    package struct Subject: Sendable {
        let action: Action
        let tenantID: String?
        let parts: [(name: String, value: String)]

        /// - Parameter parts: Everything that decides what happens. The operator who agrees reads it. The server chooses the
        ///   names.
        package init(_ action: Action, in tenantID: String?, _ parts: [(name: String, value: String)]) {
            self.action = action
            self.tenantID = tenantID
            self.parts = parts.map { (name: $0.name, value: Self.bounded($0.value)) }
        }

        // What is cut is agreed to by its digest. A page of ids or a search fits whole.
        private static func bounded(_ value: String) -> String {
            guard value.utf8.count > longestValue else { return value }
            return "\(value.cut(toBytes: longestValue))… (SHA-256 \(hexadecimal(sha256(value.utf8))))"
        }

        private static let longestValue = 8192

        fileprivate var detail: JSONValue {
            .array(parts.map { .array([.string($0.name), .string($0.value)]) })
        }

        fileprivate var fingerprint: [UInt8] {
            let whole: JSONValue = [.string(action.rawValue), tenantID.map(JSONValue.string) ?? .null, detail]
            return sha256(whole.text.utf8)
        }
    }

    /// A request that waits or is agreed to.
    package struct Request: Sendable {
        package let id: String
        package let action: Action
        package let tenantID: String?
        package let parts: [(name: String, value: String)]
        /// The address of the operator who asks.
        package let email: String
        package let expiresAt: Timestamp
        package let isApproved: Bool
        package let isOwn: Bool
    }

    /// Finds another operator's consent, or asks for it.
    ///
    /// - Throws: ``OperatorError/needsApproval`` when nobody has agreed yet, ``OperatorError/tooMany``.
    package func consent(to subject: Subject, by person: ConsoleOperator) async throws -> OperatorConsent {
        guard isRequired else { return OperatorConsent(base: base, person: person, approval: nil) }
        let (stamp, project, fingerprint) = (base.changeLog.stamp(person.request), base.projectID, subject.fingerprint)
        let (now, approvalID) = (stamp.time, base.environment.randomText(length: 20))
        let approval = try await base.database.write { transaction throws -> OperatorApprovalRecord? in
            try base.requireStill(person, in: transaction)
            let open = try transaction.operatorApprovals(project).filter { now < $0.expiresAt }
            let own = open.filter { $0.operatorID == person.operatorID }
            if let found = own.first(where: { $0.fingerprint == fingerprint }) {
                return found.approvedBy == nil ? nil : found
            }
            guard open.count < Self.maximumOpen, own.count < Self.maximumOpenOfOne else { throw OperatorError.tooMany }
            let record = OperatorApprovalRecord(
                approvalID: approvalID,
                operatorID: person.operatorID,
                action: subject.action.rawValue,
                tenantID: subject.tenantID,
                fingerprint: fingerprint,
                detail: subject.detail.text,
                requestedAt: now,
                expiresAt: now.advanced(by: Self.asked)
            )
            try transaction.insertOperatorApproval(project, record)
            try stamp.record(.approvalRequested, record.auditDetail, in: transaction)
            return nil
        }
        guard let approval else { throw OperatorError.needsApproval }
        return OperatorConsent(base: base, person: person, approval: approval)
    }

    /// The requests that an operator made or may decide.
    package func all(for person: ConsoleOperator) async throws -> [Request] {
        let (now, project) = (base.environment.now(), base.projectID)
        let (records, operators) = try await base.database.read { transaction in
            (try transaction.operatorApprovals(project), try transaction.consoleOperators(project))
        }
        let emails = Dictionary(operators.map { ($0.operatorID, $0.email) }) { first, _ in first }
        return records.compactMap { record in
            guard now < record.expiresAt, Self.concerns(record, person), let action = Action(rawValue: record.action) else {
                return nil
            }
            let parts = (try? JSONValue.parse(record.detail.utf8))?.array ?? []
            return Request(
                id: record.approvalID,
                action: action,
                tenantID: record.tenantID,
                parts: parts.map { (name: $0[0]?.string ?? "", value: $0[1]?.string ?? "") },
                email: emails[record.operatorID] ?? "-",
                expiresAt: record.expiresAt,
                isApproved: record.approvedBy != nil,
                isOwn: record.operatorID == person.operatorID
            )
        }
    }

    // An operator of one tenant has no say in others.
    private static func concerns(_ record: OperatorApprovalRecord, _ person: ConsoleOperator) -> Bool {
        record.operatorID == person.operatorID || person.tenantID == nil || person.tenantID == record.tenantID
    }

    /// Agrees to another operator's request.
    ///
    /// - Throws: ``OperatorError/notAllowed``, ``OperatorError/needsConfirmation``, ``OperatorError/ownApproval`` for one's own
    ///   request, and for a request that is older than the operator who would agree. ``OperatorError/unknownApproval``.
    package func approve(_ id: String, by person: ConsoleOperator) async throws {
        try person.require(.all)
        try person.requireConfirmation()
        try await decide(id, .approvalGiven, by: person) { record, transaction, now in
            let since = try transaction.consoleOperator(base.projectID, id: person.operatorID)?.createdAt
            guard record.operatorID != person.operatorID, let since, since < record.requestedAt else {
                throw OperatorError.ownApproval
            }
            record.approvedBy = person.operatorID
            record.expiresAt = now.advanced(by: Self.agreed)
            return try transaction.approve(base.projectID, record)
        }
    }

    /// Refuses a request, or withdraws one's own.
    package func reject(_ id: String, by person: ConsoleOperator) async throws {
        try person.require(.all)
        try await decide(id, .approvalRejected, by: person) { _, transaction, _ in
            try transaction.deleteOperatorApproval(base.projectID, id: id)
        }
    }

    private func decide(
        _ id: String,
        _ kind: AuditEvent.Kind,
        by person: ConsoleOperator,
        _ body: @escaping @Sendable (inout OperatorApprovalRecord, Transaction, Timestamp) throws -> Bool
    ) async throws {
        let (stamp, project) = (base.changeLog.stamp(person.request), base.projectID)
        try await base.database.write { transaction throws in
            try base.requireStill(person, in: transaction)
            let open = try transaction.operatorApprovals(project)
            let found = open.first { bytesEqual($0.approvalID, id) && stamp.time < $0.expiresAt }
            guard var record = found, Self.concerns(record, person), try body(&record, transaction, stamp.time) else {
                throw OperatorError.unknownApproval
            }
            try stamp.record(kind, record.auditDetail, in: transaction)
        }
    }
}
