-- Administrators list accounts by age.
CREATE INDEX accounts_created_at ON accounts (project_id, tenant_id, created_at, local_id);
