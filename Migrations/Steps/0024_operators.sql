-- Operators of the console, apart from the project's users. A null tenant means every tenant and the project itself.
CREATE TABLE operators (
    project_id TEXT NOT NULL,
    operator_id TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    bound_tenant_id TEXT,
    password_hash TEXT,
    sealed_totp TEXT,
    totp_step BIGINT,
    created_at BIGINT NOT NULL,
    last_sign_in_at BIGINT,
    PRIMARY KEY (project_id, operator_id)
);

CREATE UNIQUE INDEX operators_email ON operators (project_id, email);

CREATE TABLE operator_passkeys (
    project_id TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    operator_id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key BYTEA NOT NULL,
    sign_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    PRIMARY KEY (project_id, credential_id),
    FOREIGN KEY (project_id, operator_id) REFERENCES operators (project_id, operator_id) ON DELETE CASCADE
);

CREATE INDEX operator_passkeys_operator ON operator_passkeys (project_id, operator_id);

-- The cookie's SHA-256. confirmed_at is when a factor was last proven, which what hurts asks for.
CREATE TABLE operator_sessions (
    project_id TEXT NOT NULL,
    session_hash BYTEA NOT NULL,
    operator_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    address TEXT,
    user_agent TEXT,
    PRIMARY KEY (project_id, session_hash),
    FOREIGN KEY (project_id, operator_id) REFERENCES operators (project_id, operator_id) ON DELETE CASCADE
);

CREATE INDEX operator_sessions_operator ON operator_sessions (project_id, operator_id);
CREATE INDEX operator_sessions_created ON operator_sessions (created_at);

-- The code's SHA-256. A null email is asked for; a null inviter is the server's own first start.
CREATE TABLE operator_invitations (
    project_id TEXT NOT NULL,
    code_hash BYTEA NOT NULL,
    email TEXT,
    role TEXT NOT NULL,
    bound_tenant_id TEXT,
    invited_by TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, code_hash)
);

CREATE INDEX operator_invitations_expiry ON operator_invitations (expires_at);

-- What an operator asks another one to agree to. The fingerprint is the SHA-256 of the whole action, so that nothing else is agreed to.
CREATE TABLE operator_approvals (
    project_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    operator_id TEXT NOT NULL,
    action TEXT NOT NULL,
    bound_tenant_id TEXT,
    fingerprint BYTEA NOT NULL,
    detail TEXT NOT NULL,
    requested_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    approved_by TEXT,
    PRIMARY KEY (project_id, approval_id),
    FOREIGN KEY (project_id, operator_id) REFERENCES operators (project_id, operator_id) ON DELETE CASCADE
);

CREATE INDEX operator_approvals_operator ON operator_approvals (project_id, operator_id);
CREATE INDEX operator_approvals_expiry ON operator_approvals (expires_at);
