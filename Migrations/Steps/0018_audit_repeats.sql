-- The same event again, shortly after, counts on the row that is there: an account that goes on and on fills no table.
ALTER TABLE audit_events ADD COLUMN repeats BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_events ADD COLUMN last_at BIGINT;
