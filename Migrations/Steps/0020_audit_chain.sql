-- The place of a record in the chain of its scope and class, once it has one. A record with a place never changes.
ALTER TABLE audit_events ADD COLUMN chain_class TEXT;
ALTER TABLE audit_events ADD COLUMN chain_seq BIGINT;
ALTER TABLE audit_events ADD COLUMN chain_hash TEXT;

CREATE UNIQUE INDEX audit_events_chain ON audit_events (project_id, tenant_id, chain_class, chain_seq);

CREATE INDEX audit_events_unchained ON audit_events (occurred_at) WHERE chain_seq IS NULL;

-- Each class has a time of its own after which clean-up removes its records.
DROP INDEX audit_events_age;

CREATE INDEX audit_events_age ON audit_events (chain_class, occurred_at);

-- Both ends of a chain, each with a signed statement.
CREATE TABLE audit_chains (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    chain_class TEXT NOT NULL,
    head_seq BIGINT NOT NULL,
    head_hash TEXT NOT NULL,
    head_checkpoint TEXT NOT NULL,
    cut_seq BIGINT NOT NULL,
    cut_hash TEXT NOT NULL,
    cut_checkpoint TEXT,
    PRIMARY KEY (project_id, tenant_id, chain_class)
);

-- How far each receiver of the trail has got in each chain.
CREATE TABLE audit_cursors (
    receiver TEXT NOT NULL,
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    chain_class TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (receiver, project_id, tenant_id, chain_class)
);
