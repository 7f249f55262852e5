-- Sign-ins that wait for an identity provider's answer, by the SHA-256 of their state (OAuth 1.0a: of the request token).
-- session_hash is the SHA-256 of the session id that completes the flow; secrets and answer are sealed.
CREATE TABLE authorization_flows (
    state_hash BYTEA NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    session_hash BYTEA NOT NULL,
    secrets TEXT NOT NULL,
    handler_data TEXT,
    answer TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (state_hash)
);

CREATE INDEX authorization_flows_expiry ON authorization_flows (expires_at);
