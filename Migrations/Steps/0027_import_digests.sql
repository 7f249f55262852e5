-- What the last import gave an account: one keyed digest a member, as JSON, so that a later import of the same file can tell what the file has
-- changed from what the user has. key_check tells which key made them.
CREATE TABLE import_digests (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    local_id TEXT NOT NULL,
    imported_at BIGINT NOT NULL,
    key_check TEXT NOT NULL,
    digests TEXT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, local_id),
    FOREIGN KEY (project_id, tenant_id, local_id) REFERENCES accounts (project_id, tenant_id, local_id) ON DELETE CASCADE
);
