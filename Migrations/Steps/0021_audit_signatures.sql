-- A signed statement of a record's place, on the last record of each batch that got places. Retention goes as far as such a record.
ALTER TABLE audit_events ADD COLUMN chain_checkpoint TEXT;

-- The hash of the last record that a receiver has.
ALTER TABLE audit_cursors ADD COLUMN hash TEXT;
