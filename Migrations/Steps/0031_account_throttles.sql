-- The account that a count belongs to, so that a proof of who owns the account finds all of them, whatever their names are. Null belongs
-- to no account.
ALTER TABLE throttles ADD COLUMN local_id TEXT;

-- Of the counted tries, how many have failed for certain. The others are still being checked.
ALTER TABLE throttles ADD COLUMN settled BIGINT NOT NULL DEFAULT 0;

CREATE INDEX throttles_account ON throttles (local_id, project_id, tenant_id) WHERE local_id IS NOT NULL;
