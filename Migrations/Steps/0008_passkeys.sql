-- WebAuthn credentials by their id, base64url. public_key is a COSE key; null in development, which trusts the id alone.
CREATE TABLE passkeys (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    local_id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key BYTEA,
    sign_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, credential_id),
    FOREIGN KEY (project_id, tenant_id, local_id) REFERENCES accounts (project_id, tenant_id, local_id) ON DELETE CASCADE
);

CREATE INDEX passkeys_account ON passkeys (project_id, tenant_id, local_id, created_at);

-- The second factor that a REVERT_SECOND_FACTOR_ADDITION code removes.
ALTER TABLE oob_codes ADD COLUMN enrollment_id TEXT;
