-- What happened on each day (UTC, days since 1970), counted by the nodes as it happens, for the operators' overview.
CREATE TABLE daily_counts (
    project_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    metric TEXT NOT NULL,
    label TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (project_id, tenant_id, day, metric, label)
);

CREATE INDEX daily_counts_day ON daily_counts (day);
