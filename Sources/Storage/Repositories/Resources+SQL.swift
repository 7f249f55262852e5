package import Project

/// The kinds of configuration document that the store holds, named after the v2 resources.
package enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    case config
    case tenant
    case defaultSupportedIdpConfig
    case oauthIdpConfig
    /// An account that signs custom tokens: its e-mail and public key. Postern's own kind.
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
    /// Every configuration document of a scope.
    package func resources(_ scope: Scope) throws -> [ResourceRecord] {
        try query(
            """
            SELECT kind, resource_id, document FROM resources
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) ORDER BY kind, resource_id
            """
        ).map(ResourceRecord.init(row:))
    }

    /// One configuration document, or `nil`.
    package func resource(_ scope: Scope, kind: ResourceKind, resourceID: String) throws -> JSONValue? {
        try queryOne(
            """
            SELECT kind, resource_id, document FROM resources WHERE project_id = \(scope.projectID)
                AND tenant_id = \(scope.tenantKey) AND kind = \(kind.rawValue) AND resource_id = \(resourceID)
            """
        ).map { try ResourceRecord(row: $0).document }
    }

    /// Every configuration document of one kind at the level of projects, by project.
    package func projectResources(kind: ResourceKind) throws -> [(projectID: String, resource: ResourceRecord)] {
        try query(
            """
            SELECT project_id, kind, resource_id, document FROM resources
            WHERE tenant_id = '' AND kind = \(kind.rawValue) ORDER BY project_id, resource_id
            """
        ).map { (try $0.text("project_id"), try ResourceRecord(row: $0)) }
    }

    /// One kind and id of configuration document in every scope that has it: a provider's, in the project and its tenants.
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

    /// Removes a configuration document; returns whether there was one.
    package func deleteResource(_ scope: Scope, kind: ResourceKind, resourceID: String) throws -> Bool {
        try execute(
            """
            DELETE FROM resources WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                AND kind = \(kind.rawValue) AND resource_id = \(resourceID)
            """
        ) > 0
    }

    /// Stores a configuration document in place of the one there was.
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
