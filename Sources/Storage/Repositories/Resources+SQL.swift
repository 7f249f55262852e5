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
    package let kind: ResourceKind
    package let resourceID: String
    package let document: JSONValue

    package init(kind: ResourceKind, resourceID: String, document: JSONValue) {
        self.kind = kind
        self.resourceID = resourceID
        self.document = document
    }
}

extension Transaction {
    /// Every configuration document of a scope. Kinds that a newer node has written and this node does not know are left out.
    package func resources(_ scope: Scope) throws -> [ResourceRecord] {
        try query(
            """
            SELECT kind, resource_id, document FROM resources
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) ORDER BY kind, resource_id
            """
        ).compactMap { row in
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
        return try query(
            """
            SELECT kind, resource_id, document FROM resources
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND kind = \(kind.rawValue)
                AND resource_id > \(resourceID) ORDER BY resource_id \(sql: bound)
            """
        ).map(ResourceRecord.init(row:))
    }

    /// How many configuration documents of a kind a scope has, and how many characters they have together.
    package func resourceSizes(_ scope: Scope, kind: ResourceKind) throws -> (count: Int, characters: Int) {
        let row = try queryOne(
            """
            SELECT COUNT(*) AS documents, SUM(LENGTH(document)) AS characters FROM resources
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND kind = \(kind.rawValue)
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
        try execute(
            """
            DELETE FROM sessions WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND revoked_at IS NULL
                AND local_id IN (\(sql: accounts))
            """
        )
        return try execute(
            """
            DELETE FROM accounts WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND local_id IN (\(sql: accounts))
            """
        )
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
        try queryOne(
            """
            SELECT kind, resource_id, document FROM resources WHERE project_id = \(scope.projectID)
                AND tenant_id = \(scope.tenantKey) AND kind = \(kind.rawValue) AND resource_id = \(resourceID)
            """
        ).map { try ResourceRecord(row: $0).document }
    }

    /// Every configuration document of one kind at project level, by project.
    package func projectResources(kind: ResourceKind) throws -> [(projectID: String, resource: ResourceRecord)] {
        try query(
            """
            SELECT project_id, kind, resource_id, document FROM resources
            WHERE tenant_id = '' AND kind = \(kind.rawValue) ORDER BY project_id, resource_id
            """
        ).map { (try $0.text("project_id"), try ResourceRecord(row: $0)) }
    }

    /// The configuration documents of one kind in all scopes.
    package func resources(kind: ResourceKind) throws -> [ResourceRecord] {
        try query(
            """
            SELECT kind, resource_id, document FROM resources
            WHERE kind = \(kind.rawValue) ORDER BY project_id, tenant_id, resource_id
            """
        ).map(ResourceRecord.init(row:))
    }

    /// The configuration documents of one kind and id in all scopes, for example a provider's in the project and its tenants.
    package func resources(kind: ResourceKind, resourceID: String) throws -> [(scope: Scope, document: JSONValue)] {
        try query(
            """
            SELECT project_id, tenant_id, kind, resource_id, document FROM resources
            WHERE kind = \(kind.rawValue) AND resource_id = \(resourceID) ORDER BY project_id, tenant_id
            """
        ).map { row in
            let tenantKey = try row.text("tenant_id")
            let scope = Scope(projectID: try row.text("project_id"), tenantID: tenantKey.isEmpty ? nil : tenantKey)
            return (scope, try ResourceRecord(row: row).document)
        }
    }

    /// Deletes a configuration document, and returns whether there was one.
    package func deleteResource(_ scope: Scope, kind: ResourceKind, resourceID: String) throws -> Bool {
        try execute(
            """
            DELETE FROM resources WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND kind = \(kind.rawValue) AND resource_id = \(resourceID)
            """
        ) > 0
    }

    /// Stores a configuration document, in place of an existing one.
    package func putResource(_ scope: Scope, _ resource: ResourceRecord, at time: Timestamp) throws {
        try execute(
            """
            INSERT INTO resources (project_id, tenant_id, kind, resource_id, document, updated_at)
            VALUES (\(scope.projectID), \(scope.tenantKey), \(resource.kind.rawValue), \(resource.resourceID),
                \(resource.document.text), \(time.milliseconds))
            ON CONFLICT (project_id, tenant_id, kind, resource_id)
            DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at
            """
        )
    }
}

extension ResourceRecord {
    fileprivate init(row: Row) throws {
        guard let kind = ResourceKind(rawValue: try row.text("kind")) else { throw StorageError.decoding(column: "kind") }
        guard let document = try? JSONValue.parse(try row.text("document").utf8) else {
            throw StorageError.decoding(column: "document")
        }
        self.init(kind: kind, resourceID: try row.text("resource_id"), document: document)
    }
}
