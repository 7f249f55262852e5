-- Work that one node does for all: whoever holds the row does it, until the row expires.
CREATE TABLE leases (
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (name)
);

-- What clean-up looks for.
CREATE INDEX sessions_revoked ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE INDEX audit_events_age ON audit_events (occurred_at);
