-- Mail that waits for the mail server. due_at is when a message may be tried, or until when the node that tries it has it leased.
-- payload is sealed under the master key, and emptied once the message is sent or given up: it holds one-time links.
CREATE TABLE email_outbox (
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

CREATE INDEX email_outbox_due ON email_outbox (due_at) WHERE finished_at IS NULL;

CREATE INDEX email_outbox_finished ON email_outbox (finished_at) WHERE finished_at IS NOT NULL;
