-- Administrators list accounts by age.
CREATE INDEX accounts_created_at ON accounts (project_id, tenant_id, created_at, local_id COLLATE "C");

-- Accounts are listed in the order of their ids' bytes, which a database's own collation need not have.
CREATE INDEX accounts_local_id_bytes ON accounts (project_id, tenant_id, local_id COLLATE "C");
