-- In a store that it has no statistics of yet, PostgreSQL takes the newest index that begins with a look-up's columns, and reads all that
-- is behind them: every account for one id. Each read row counts against every write beside it, so that most transactions had to run
-- again. None of these indexes begins with a column of such a look-up any longer, in its collation.
DROP INDEX accounts_created_at;
DROP INDEX accounts_local_id_bytes;
DROP INDEX identities_raw_id;

CREATE INDEX accounts_created_at
    ON accounts (project_id COLLATE "C", tenant_id COLLATE "C", created_at, local_id COLLATE "C");
CREATE INDEX accounts_local_id_bytes ON accounts (project_id COLLATE "C", tenant_id COLLATE "C", local_id COLLATE "C");
CREATE UNIQUE INDEX identities_raw_id ON identities (raw_id, provider_id, project_id, tenant_id);
