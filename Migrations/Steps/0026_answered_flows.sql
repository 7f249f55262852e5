-- Sign-ins at an identity provider whose answer has been taken, by the SHA-256 of their state, until it is known that the client got what
-- came of it. answer_hash is the SHA-256 of the answer; proof is what it proved, sealed, once the client has gone.
CREATE TABLE answered_flows (
    state_hash BYTEA NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    session_hash BYTEA NOT NULL,
    answer_hash BYTEA NOT NULL,
    proof TEXT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (state_hash)
);

CREATE INDEX answered_flows_expiry ON answered_flows (expires_at);
