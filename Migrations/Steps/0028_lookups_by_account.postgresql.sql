-- Without statistics, or with old ones, a planner takes any index that begins with a look-up's columns, and reads all that is behind them: for
-- the events of one account those of everybody within the minute, at each sign-in. So the events of an account, and those of a kind, are
-- looked up by one text each, with which no other index begins. The index of kinds goes; that of accounts stays for nodes of the version
-- before, which look up by its columns.
DROP INDEX audit_events_kind;

CREATE INDEX audit_events_of_kind ON audit_events ((project_id || '/' || tenant_id || '/' || event), occurred_at);

CREATE INDEX audit_events_of_account
    ON audit_events ((project_id || '/' || tenant_id || '/' || local_id), occurred_at, event)
    WHERE local_id IS NOT NULL;

-- Only records with a place are in the chain, so that lists in the order of time do not take its index.
DROP INDEX audit_events_chain;

CREATE UNIQUE INDEX audit_events_chain ON audit_events (project_id, tenant_id, chain_class, chain_seq) WHERE chain_seq IS NOT NULL;

-- A passkey is looked up by project, tenant and id.
DROP INDEX passkeys_account;

CREATE INDEX passkeys_account ON passkeys (local_id, project_id, tenant_id, created_at);

-- The counts of an account by network have a common beginning, which is a range in the order of bytes. No index begins with a column of a
-- look-up in its collation, see 0013.
CREATE INDEX throttles_bytes ON throttles (project_id COLLATE "C", tenant_id COLLATE "C", bucket COLLATE "C");
