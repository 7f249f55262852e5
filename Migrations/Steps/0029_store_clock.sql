-- When the store was last seen by a node whose clock was believed, so that a start with a wrong clock is noticed, and how often an operator
-- has said that the system's clock is right.
CREATE TABLE store_clock (
    name TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    confirmations BIGINT NOT NULL,
    PRIMARY KEY (name)
);
