-- How an account stood before the change that a code takes back: the generation that its sealed values had, and when its address was proven.
-- Null is unknown: codes of nodes of the version before, whose times decide.
ALTER TABLE oob_codes ADD COLUMN generation BIGINT;

ALTER TABLE oob_codes ADD COLUMN proven_at BIGINT;

-- When the code was last used without being used up, because another account has proven the address that it restores.
ALTER TABLE oob_codes ADD COLUMN used_at BIGINT;

-- The account's generation when its password was set. Null is unknown.
ALTER TABLE accounts ADD COLUMN password_generation BIGINT;
