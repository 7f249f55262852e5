-- The latest changes of configuration, so that operators see them and take one back. members is what changed, as JSON with the values before
-- and afterwards. A secret's values are never in it.
CREATE TABLE config_changes (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    members TEXT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, event_id)
);

CREATE INDEX config_changes_time ON config_changes (project_id, tenant_id, changed_at);
