-- Postern's first schema. The dialect is what SQLite, PostgreSQL and CockroachDB share: TEXT, BIGINT and BYTEA columns only.
-- Booleans are 0 or 1. Columns ending in _at hold milliseconds since the epoch; valid_since and auth_time hold seconds.
-- Every key begins with the project and the tenant; the project level's tenant_id is ''.

CREATE TABLE accounts (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    local_id TEXT NOT NULL,
    email TEXT,
    email_verified BIGINT,
    initial_email TEXT,
    phone_number TEXT,
    password_hash TEXT,
    password_updated_at BIGINT,
    display_name TEXT,
    photo_url TEXT,
    screen_name TEXT,
    language TEXT,
    date_of_birth TEXT,
    time_zone TEXT,
    disabled BIGINT NOT NULL,
    valid_since BIGINT,
    custom_attributes TEXT,
    custom_auth BIGINT NOT NULL,
    email_link_sign_in BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_login_at BIGINT,
    last_refresh_at BIGINT,
    PRIMARY KEY (project_id, tenant_id, local_id)
);

-- E-mails are stored lower-cased, so one account per address needs no collation.
CREATE UNIQUE INDEX accounts_email ON accounts (project_id, tenant_id, email) WHERE email IS NOT NULL;

CREATE UNIQUE INDEX accounts_phone_number ON accounts (project_id, tenant_id, phone_number) WHERE phone_number IS NOT NULL;

-- A provider's account linked to ours: one per provider and account, and one account per provider's user.
CREATE TABLE identities (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    local_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    raw_id TEXT NOT NULL,
    email TEXT,
    display_name TEXT,
    photo_url TEXT,
    screen_name TEXT,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, local_id, provider_id),
    FOREIGN KEY (project_id, tenant_id, local_id) REFERENCES accounts (project_id, tenant_id, local_id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX identities_raw_id ON identities (project_id, tenant_id, provider_id, raw_id);

-- One row per sign-in. Rows of deleted accounts and revoked sessions stay, so that their refresh tokens get the right error.
CREATE TABLE sessions (
    token_hash BYTEA NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    local_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    sign_in_provider TEXT NOT NULL,
    claims TEXT,
    sign_in_attributes TEXT,
    user_agent TEXT,
    auth_time BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (token_hash)
);

CREATE INDEX sessions_live ON sessions (project_id, tenant_id, local_id, last_used_at) WHERE revoked_at IS NULL;

-- What may be accepted once only, by the SHA-256 of what it is.
CREATE TABLE used_credentials (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    credential_hash BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, credential_hash)
);

CREATE INDEX used_credentials_expiry ON used_credentials (expires_at);

-- activated_at is null for the key that is published but does not sign yet; retired_at ends its signing.
CREATE TABLE signing_keys (
    kid TEXT NOT NULL,
    purpose TEXT NOT NULL,
    private_key TEXT NOT NULL,
    certificate TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    activated_at BIGINT,
    retired_at BIGINT,
    PRIMARY KEY (kid)
);

-- Two nodes that start at once agree on one signing key and one successor.
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (purpose) WHERE activated_at IS NULL;

CREATE UNIQUE INDEX signing_keys_current ON signing_keys (purpose) WHERE activated_at IS NOT NULL AND retired_at IS NULL;

-- v2 resources as JSON documents, their secrets sealed: 'config', 'tenant', 'defaultSupportedIdpConfig', 'oauthIdpConfig'.
CREATE TABLE resources (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    document TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, kind, resource_id)
);

CREATE TABLE audit_events (
    event_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    event TEXT NOT NULL,
    local_id TEXT,
    actor TEXT NOT NULL,
    address TEXT,
    detail TEXT,
    PRIMARY KEY (event_id)
);

CREATE INDEX audit_events_time ON audit_events (project_id, tenant_id, occurred_at);
