-- As on PostgreSQL, which must not take this index for look-ups by account.
DROP INDEX identities_raw_id;

CREATE UNIQUE INDEX identities_raw_id ON identities (raw_id, provider_id, project_id, tenant_id);
