package import Project
package import Storage
import Tokens

/// Creates, lists and revokes the named tokens of administrators.
package struct AdminTokenRegistry: Sendable {
    /// The prefix of every token, by which people and secret scanners recognize one.
    package static let prefix = "postern_admin_"

    private static let maximumLive = 1000

    private let database: any Database
    private let environment: ServerEnvironment
    private let context: CallContext

    /// - Parameter context: The call that creates or revokes tokens: it names their project and the actor for the audit trail.
    package init(database: any Database, environment: ServerEnvironment, context: CallContext) {
        self.database = database
        self.environment = environment
        self.context = context
    }

    private var projectID: String { context.scope.projectID }

    /// Why a token was not created or revoked.
    package enum RegistryError: Error, Equatable, CustomStringConvertible {
        case invalidName(String)
        case invalidLifetime
        case nothingAllowed
        case exists(String)
        case missing(String)
        case tooMany

        package var description: String {
            switch self {
            case .invalidName(let name):
                "\(name) is not a valid name: use 1 to 64 letters, digits, dots, hyphens or underscores, the first a letter or digit"
            case .invalidLifetime: "a token lives for 1 to 3650 days"
            case .nothingAllowed: "a token needs at least one scope"
            case .exists(let name): "there is a token named \(name); revoke it first, or choose another name"
            case .missing(let identifier): "there is no live token \(identifier)"
            case .tooMany: "there are \(AdminTokenRegistry.maximumLive) live tokens; revoke some first"
            }
        }
    }

    package static func check(_ name: String, scopes: AdminScopes, days: Int?) throws {
        // An expression is for short texts.
        guard name.utf8.count <= 64, name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,63}/) != nil else {
            throw RegistryError.invalidName(String(name.prefix(100)))
        }
        guard !scopes.isEmpty else { throw RegistryError.nothingAllowed }
        if let days, !(1...3650).contains(days) { throw RegistryError.invalidLifetime }
    }

    /// Creates a token of 256 random bits.
    ///
    /// - Returns: The record, and the token, which is stored nowhere else.
    package func create(
        _ name: String,
        scopes: AdminScopes,
        days: Int?,
        also part: TransactionPart? = nil
    ) async throws -> (record: AdminTokenRecord, token: String) {
        try context.requireEveryRight()
        try Self.check(name, scopes: scopes, days: days)
        let now = environment.now()
        let token = Self.prefix + Base64URL.encode(environment.random(32))
        let record = AdminTokenRecord(
            tokenID: environment.randomText(length: 20),
            projectID: projectID,
            name: name,
            scopes: scopes.words.joined(separator: " "),
            tokenHash: sha256(token.utf8),
            createdAt: now,
            expiresAt: days.map { now.advanced(by: .seconds(86_400 * $0)) }
        )
        let event = event(.adminTokenCreated, record, at: now, id: environment.newEventID())
        do {
            try await database.write { transaction in
                try part?(transaction)
                let live = try transaction.adminTokens(projectID: record.projectID).filter { $0.revokedAt == nil }
                guard live.count < Self.maximumLive else { throw RegistryError.tooMany }
                try transaction.insertAdminToken(record)
                try transaction.insertAuditEvent(context.scope.project, event)
            }
        } catch StorageError.uniqueViolation {
            throw RegistryError.exists(name)
        }
        return (record, token)
    }

    /// Lists the project's tokens including expired and revoked ones, the oldest first.
    package func list() async throws -> [AdminTokenRecord] {
        let projectID = projectID
        return try await database.read { try $0.adminTokens(projectID: projectID) }
    }

    /// Revokes a token on every node.
    @discardableResult
    package func revoke(_ tokenID: String) async throws -> AdminTokenRecord {
        try context.requireEveryRight()
        let now = environment.now()
        let projectID = projectID
        let eventID = environment.newEventID()
        return try await database.write { transaction in
            guard let record = try transaction.revokeAdminToken(tokenID, projectID: projectID, at: now) else {
                throw RegistryError.missing(tokenID)
            }
            let event = event(.adminTokenRevoked, record, at: now, id: eventID)
            try transaction.insertAuditEvent(context.scope.project, event)
            return record
        }
    }

    private func event(_ kind: AuditEvent.Kind, _ token: AdminTokenRecord, at time: Timestamp, id: String) -> AuditEvent {
        let detail: JSONValue = [
            "name": .string(token.name), "tokenId": .string(token.tokenID), "scopes": .string(token.scopes),
        ]
        return context.auditEvent(kind, of: nil, detail, id: id, at: time)
    }
}
