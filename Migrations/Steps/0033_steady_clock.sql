-- How far the time has gone by which nodes count that do not believe their clocks, so that those which start later go on with it. A node
-- whose clock is believed sets it to what it sees. 0 is before any time.
ALTER TABLE store_clock ADD COLUMN steady_at BIGINT NOT NULL DEFAULT 0;
