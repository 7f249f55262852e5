import Project
import Storage
import Tokens

/// Changes configuration resources. A change is written only if the resource is still the one it was checked against. Each change
/// leaves an audit record and is in force on this node at once.
struct ResourceEditor: Sendable {
    /// Its database, clock and sealer serve every change, and its cache is told of it.
    let configurations: ConfigurationStore

    var database: any Database { configurations.database }
    var environment: ServerEnvironment { configurations.environment }
    var sealer: TokenSealer { configurations.sealer }

    /// A resource with its name.
    struct Place: Sendable {
        let scope: Scope
        let kind: ResourceKind
        let resourceID: String
        /// `projects/…`
        let name: String
    }

    /// The change that an edit makes.
    enum ResourceEdit: Sendable {
        case keep
        /// Secrets are in clear, or sealed as they were stored.
        case put(JSONValue)
        case remove
    }

    // Concurrent changes of one resource are rare; a call that loses this often is told to try later.
    private static let maximumTries = 5

    /// Reads the stored resource.
    func stored(_ place: Place) async throws -> JSONValue? {
        try await database.read { try $0.resource(place.scope, kind: place.kind, resourceID: place.resourceID) }
    }

    /// Refuses fictional numbers that belong to a user, because their fixed codes would open that account
    /// (`Docs/Contract/admin-config.md` §7).
    ///
    /// - Throws: `APIError` `INVALID_TESTING_PHONE_NUMBER`.
    func checkFictional(_ numbers: Set<String>, in scope: Scope) async throws {
        guard !numbers.isEmpty else { return }
        let isTaken = try await database.read { transaction in
            try numbers.contains { try transaction.account(scope, phoneNumber: $0) != nil }
        }
        if isTaken { throw APIError(.invalidTestingPhoneNumber, "A user has this number.") }
    }

    /// Changes a resource.
    ///
    /// - Parameter change: Decides from the stored resource. It may call other servers, and runs again after a concurrent change.
    /// - Throws: `APIError` `TENANT_NOT_FOUND`, `ABORTED`; the errors of `change`.
    @discardableResult
    func edit(
        _ place: Place,
        context: CallContext,
        also part: TransactionPart? = nil,
        _ change: @Sendable (JSONValue?) async throws -> ResourceEdit
    ) async throws -> JSONValue? {
        for _ in 0..<Self.maximumTries {
            let stored = try await stored(place)
            let next: JSONValue?
            switch try await change(stored) {
            case .keep: return stored
            case .remove: next = nil
            case .put(let document):
                next = try ConfigurationSecrets(sealer: sealer, scope: place.scope).seal(document, keeping: stored)
            }
            if next == stored { return stored }
            let event = event(place, from: stored, to: next, context: context)
            let change = ConfigChangeRecord(event, of: place.kind, place.resourceID, from: stored, to: next)
            if try await write(place, next, over: stored, event, change, also: part) {
                configurations.invalidate(place.scope.projectID)
                return next
            }
        }
        throw APIError(.aborted, "The resource is being changed by others; try again.")
    }

    private func write(
        _ place: Place,
        _ next: JSONValue?,
        over stored: JSONValue?,
        _ event: AuditEvent,
        _ change: ConfigChangeRecord,
        also part: TransactionPart?
    ) async throws -> Bool {
        try await database.write { transaction in
            let now = try transaction.resource(place.scope, kind: place.kind, resourceID: place.resourceID)
            guard now == stored else { return false }
            try part?(transaction)
            if let tenantID = place.scope.tenantID,
                try transaction.resource(place.scope.project, kind: .tenant, resourceID: tenantID) == nil
            {
                throw APIError(.tenantNotFound)
            }
            if let next {
                try Self.checkRoom(for: next, over: stored, at: place, in: transaction)
                let record = ResourceRecord(kind: place.kind, resourceID: place.resourceID, document: next)
                try transaction.putResource(place.scope, record, at: event.occurredAt)
            } else if place.kind == .tenant {
                try transaction.deleteTenant(Scope(projectID: place.scope.projectID, tenantID: place.resourceID))
            } else {
                _ = try transaction.deleteResource(place.scope, kind: place.kind, resourceID: place.resourceID)
            }
            try transaction.insertAuditEvent(place.scope, event)
            let scope = change.scope(in: place.scope)
            try transaction.insertConfigChange(scope, change, keeping: ConfigurationHistory.most)
            return true
        }
    }

    // Every call of a scope works with all of its providers.
    private static func checkRoom(
        for document: JSONValue,
        over stored: JSONValue?,
        at place: Place,
        in transaction: Transaction
    ) throws {
        guard ProviderCollection(kind: place.kind) != nil else { return }
        let growth = document.text.utf8.count - (stored?.text.utf8.count ?? 0)
        guard growth > 0 else { return }
        let present = try transaction.resourceSizes(place.scope, kind: place.kind)
        guard present.count + (stored == nil ? 1 : 0) <= mostProviders, present.characters + growth <= mostCharacters else {
            let limit = "\(mostProviders) providers of a kind, with \(mostCharacters) characters together"
            throw APIError(.invalidConfig, "A project or a tenant may have \(limit).")
        }
    }

    private static let mostProviders = 1000
    private static let mostCharacters = 4 << 20

    // The record names members only, because their values may be secrets.
    private func event(_ place: Place, from stored: JSONValue?, to next: JSONValue?, context: CallContext) -> AuditEvent {
        var detail: JSONObject = ["resource": .string(place.name)]
        if let next, let stored {
            let fields = next.differingPaths(from: stored).prefix(100)
            detail["fields"] = .array(fields.map(JSONValue.string))
        }
        let kind: AuditEvent.Kind = next == nil ? .configDeleted : stored == nil ? .configCreated : .configUpdated
        return context.auditEvent(kind, .object(detail), by: environment)
    }
}
