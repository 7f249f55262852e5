-- One-time codes sent by e-mail, by the SHA-256 of the code. sealed_code is there in development only, whose endpoints show codes.
CREATE TABLE oob_codes (
    code_hash BYTEA NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    request_type TEXT NOT NULL,
    email TEXT NOT NULL,
    new_email TEXT,
    local_id TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sealed_code TEXT,
    PRIMARY KEY (code_hash)
);

CREATE INDEX oob_codes_email ON oob_codes (project_id, tenant_id, email, request_type);

CREATE INDEX oob_codes_expiry ON oob_codes (expires_at);

-- How often something was tried. count begins anew when ends_at has passed; nothing is let through before blocked_until.
CREATE TABLE throttles (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    bucket TEXT NOT NULL,
    count BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    blocked_until BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, bucket)
);

CREATE INDEX throttles_expiry ON throttles (ends_at);

-- Who owned an address first may take it back (RECOVER_EMAIL).
CREATE INDEX accounts_initial_email ON accounts (project_id, tenant_id, initial_email) WHERE initial_email IS NOT NULL;
