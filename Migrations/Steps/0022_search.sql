-- The search of accounts by the beginning of a name goes along this index: the first 64 characters, ASCII letters in lower case. An
-- account without a name is not in it. Addresses and numbers have indexes in the order of bytes already. When a user was last seen has
-- no index: each sign-in would have to write it.
CREATE INDEX accounts_name_start
    ON accounts (project_id, tenant_id, substr(lower(display_name COLLATE BINARY), 1, 64), local_id)
    WHERE display_name IS NOT NULL;

-- The audit trail is searched by the kind of event, which most records are not of.
CREATE INDEX audit_events_kind ON audit_events (project_id, tenant_id, event, occurred_at);
