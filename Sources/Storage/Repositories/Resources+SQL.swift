package import Project

/// The kinds of configuration documents in the store, named after the v2 resources.
package enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    case config
    case tenant
    case defaultSupportedIdpConfig
    case oauthIdpConfig
    case inboundSamlConfig
    /// A tenant's IAM policy. It is stored but grants nothing.
    case iamPolicy
    /// An account that signs custom tokens: its e-mail and public key. This kind is Postern's own.
    case serviceAccount
}

/// A configuration document with its secrets sealed.
package struct ResourceRecord: Sendable, Hashable {
    package internal(set) var kind: ResourceKind
    package internal(set) var resourceID: String
    package internal(set) var document: JSONValue

    package init(kind: ResourceKind, resourceID: String, document: JSONValue) {
        self.kind = kind
        self.resourceID = resourceID
        self.document = document
    }
}

extension ResourceKind: ColumnValue {}

extension ResourceRecord: StoredRecord {
    static let table = TableDescriptor<Self>(
        "resources",
        of: .scope,
        key: ["project_id", "tenant_id", "kind", "resource_id"],
        others: ["updated_at"]
    )
    static var blank: Self { Self(kind: .config, resourceID: "", document: .null) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("kind", \.kind)
        column("resource_id", \.resourceID)
        column("document", \.document)
    }
}

extension Transaction {
    /// Every configuration document of a scope. Kinds that a newer node has written and this node does not know are left out.
    package func resources(_ scope: Scope) throws -> [ResourceRecord] {
        try query(ResourceRecord.select("WHERE \(scope) ORDER BY kind, resource_id")).compactMap { row in
            guard ResourceKind(rawValue: try row.text("kind")) != nil else { return nil }
            return try ResourceRecord(row: row)
        }
    }

    /// The configuration documents of one kind in a scope, by id.
    ///
    /// - Returns: The documents, in the engine's order of texts.
    package func resources(
        _ scope: Scope,
        kind: ResourceKind,
        after resourceID: String = "",
        limit: Int? = nil
    ) throws -> [ResourceRecord] {
        let bound: SQL = if let limit { "LIMIT \(limit)" } else { "" }
        return try all(
            "WHERE \(scope) AND kind = \(kind) AND resource_id > \(resourceID) ORDER BY resource_id \(sql: bound)"
        )
    }

    /// How many configuration documents of a kind a scope has, and how many characters they have together.
    package func resourceSizes(_ scope: Scope, kind: ResourceKind) throws -> (count: Int, characters: Int) {
        let row = try queryOne(
            """
            SELECT COUNT(*) AS documents, SUM(LENGTH(document)) AS characters FROM resources
            WHERE \(scope) AND kind = \(kind)
            """
        )
        return (Int(try row?.integerIfPresent("documents") ?? 0), Int(try row?.integerIfPresent("characters") ?? 0))
    }

    /// Deletes the accounts that come first in a tenant, with their live sessions.
    package func deleteFirstAccounts(of scope: Scope, limit: Int) throws -> Int {
        let accounts: SQL = """
            SELECT local_id FROM accounts WHERE \(bytewise: scope)
            ORDER BY \(bytewise: "local_id") LIMIT \(limit)
            """
        try execute("DELETE FROM sessions WHERE \(scope) AND revoked_at IS NULL AND local_id IN (\(sql: accounts))")
        return try execute("DELETE FROM accounts WHERE \(scope) AND local_id IN (\(sql: accounts))")
    }

    /// Deletes everything that belongs to a tenant, including its own document. Throttles, used credentials and the audit trail
    /// stay and expire by themselves.
    package func deleteTenant(_ scope: Scope) throws {
        guard let tenantID = scope.tenantID else { return }
        // The ends of a chain stay with its records: alone, these would look tampered with.
        let lasting: Set<String> = ["audit_events", "audit_chains", "audit_cursors", "throttles", "used_credentials"]
        // In this list tables come after those that they refer to. Referring rows must be deleted first.
        for table in StoreTable.all.reversed() where !lasting.contains(table.name) && table.columns.contains("tenant_id") {
            try execute(
                "DELETE FROM \(raw: table.name) WHERE project_id = \(scope.projectID) AND tenant_id = \(tenantID)"
            )
        }
        _ = try deleteResource(scope.project, kind: .tenant, resourceID: tenantID)
    }

    /// One configuration document; `nil` when there is none.
    package func resource(_ scope: Scope, kind: ResourceKind, resourceID: String) throws -> JSONValue? {
        let record: ResourceRecord? = try first("WHERE \(scope) AND kind = \(kind) AND resource_id = \(resourceID)")
        return record?.document
    }

    /// Every configuration document of one kind at project level, by project.
    package func projectResources(kind: ResourceKind) throws -> [(projectID: String, resource: ResourceRecord)] {
        try query(
            """
            SELECT \(raw: ResourceRecord.table.names), project_id FROM resources
            WHERE tenant_id = '' AND kind = \(kind) ORDER BY project_id, resource_id
            """
        ).map { (try $0.text("project_id"), try ResourceRecord(row: $0)) }
    }

    /// The configuration documents of one kind in all scopes.
    package func resources(kind: ResourceKind) throws -> [ResourceRecord] {
        try all("WHERE kind = \(kind) ORDER BY project_id, tenant_id, resource_id")
    }

    /// The configuration documents of one kind and id in all scopes, for example a provider's in the project and its tenants.
    package func resources(kind: ResourceKind, resourceID: String) throws -> [(scope: Scope, document: JSONValue)] {
        try query(
            """
            SELECT \(raw: ResourceRecord.table.names), project_id, tenant_id FROM resources
            WHERE kind = \(kind) AND resource_id = \(resourceID) ORDER BY project_id, tenant_id
            """
        ).map { (try $0.scope(), try ResourceRecord(row: $0).document) }
    }

    /// Deletes a configuration document, and returns whether there was one.
    package func deleteResource(_ scope: Scope, kind: ResourceKind, resourceID: String) throws -> Bool {
        try execute("DELETE FROM resources WHERE \(scope) AND kind = \(kind) AND resource_id = \(resourceID)") > 0
    }

    /// Stores a configuration document, in place of an existing one.
    package func putResource(_ scope: Scope, _ resource: ResourceRecord, at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO resources (project_id, tenant_id, \(raw: ResourceRecord.table.names), updated_at)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(resource.kind), \(resource.resourceID), \(resource.document), \(time))
            ON CONFLICT (project_id, tenant_id, kind, resource_id)
            DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at
            """
        )
    }
}
