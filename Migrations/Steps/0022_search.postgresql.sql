-- The search of accounts by the beginning of an address, a number or a name goes along these indexes, in the order of bytes, which a
-- database's own collation need not have. An account without the text is in none of them. No index begins with a column of a look-up in
-- its collation, see 0013. When a user was last seen has no index: each sign-in would have to write it.
CREATE INDEX accounts_email_bytes ON accounts (project_id COLLATE "C", tenant_id COLLATE "C", email COLLATE "C", local_id COLLATE "C")
    WHERE email IS NOT NULL;

CREATE INDEX accounts_phone_bytes
    ON accounts (project_id COLLATE "C", tenant_id COLLATE "C", phone_number COLLATE "C", local_id COLLATE "C")
    WHERE phone_number IS NOT NULL;

-- The first 64 characters, ASCII letters in lower case: under this collation lower() changes no others, as on SQLite.
CREATE INDEX accounts_name_start
    ON accounts (
        project_id COLLATE "C", tenant_id COLLATE "C", substr(lower(display_name COLLATE "C"), 1, 64), local_id COLLATE "C"
    )
    WHERE display_name IS NOT NULL;

-- The audit trail is searched by the kind of event, which most records are not of.
CREATE INDEX audit_events_kind ON audit_events (project_id, tenant_id, event, occurred_at);
