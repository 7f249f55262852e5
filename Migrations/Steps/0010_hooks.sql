-- Events about accounts that wait for the operator's web hook, as e-mail waits in email_outbox. payload is the body, which holds
-- nothing that the tables of accounts do not hold; it is emptied once the event is delivered or given up.
CREATE TABLE webhook_outbox (
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

CREATE INDEX webhook_outbox_due ON webhook_outbox (due_at) WHERE finished_at IS NULL;

CREATE INDEX webhook_outbox_finished ON webhook_outbox (finished_at) WHERE finished_at IS NOT NULL;
