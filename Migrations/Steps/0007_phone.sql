-- Codes sent by SMS, keyed by what their sessionInfo seals. code_mac is an HMAC under the master key: six digits can be guessed.
-- sealed_code is there in development only, whose endpoint shows codes.
CREATE TABLE sms_codes (
    code_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    app TEXT NOT NULL,
    phone_number TEXT NOT NULL,
    code_mac BYTEA NOT NULL,
    tries BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sealed_code TEXT,
    PRIMARY KEY (code_id)
);

CREATE INDEX sms_codes_number ON sms_codes (project_id, tenant_id, phone_number, created_at);

CREATE INDEX sms_codes_expiry ON sms_codes (expires_at);

-- Installations of iOS apps that have shown a secret which reached them by a push, by the SHA-256 of the receipt.
CREATE TABLE app_credentials (
    receipt_hash BYTEA NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    secret_hash BYTEA NOT NULL,
    bundle_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (receipt_hash)
);

CREATE INDEX app_credentials_expiry ON app_credentials (expires_at);

-- Text messages that wait for their transport, as e-mail waits in email_outbox.
CREATE TABLE sms_outbox (
    message_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    lease_id TEXT,
    attempts BIGINT NOT NULL,
    last_failure TEXT,
    outcome TEXT,
    finished_at BIGINT,
    PRIMARY KEY (message_id)
);

CREATE INDEX sms_outbox_due ON sms_outbox (due_at) WHERE finished_at IS NULL;

CREATE INDEX sms_outbox_finished ON sms_outbox (finished_at) WHERE finished_at IS NOT NULL;
