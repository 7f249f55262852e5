-- Administrators' bearer tokens, by the SHA-256 of the token. scopes holds words with spaces between: 'read', 'users', 'config'.
-- Ended tokens stay, so that the audit trail's names can be told apart; a null expires_at means never.
CREATE TABLE admin_tokens (
    token_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    token_hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    PRIMARY KEY (token_id)
);

CREATE UNIQUE INDEX admin_tokens_hash ON admin_tokens (token_hash);

-- A name is one token's at a time.
CREATE UNIQUE INDEX admin_tokens_name ON admin_tokens (project_id, name) WHERE revoked_at IS NULL;

-- What an account did, for whoever asks after one user.
CREATE INDEX audit_events_account ON audit_events (project_id, tenant_id, local_id, occurred_at) WHERE local_id IS NOT NULL;
