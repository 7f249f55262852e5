-- Grows with everything that ends what was begun before: sealed tokens, challenges and enrolments name the generation they are of.
ALTER TABLE accounts ADD COLUMN proof_generation BIGINT NOT NULL DEFAULT 0;

-- When the address was last proven, and stays when the user removes it. Null is unknown, or never.
ALTER TABLE accounts ADD COLUMN email_proven_at BIGINT;

-- When the phone number came. Null is unknown.
ALTER TABLE accounts ADD COLUMN phone_added_at BIGINT;

-- The codes of an account.
CREATE INDEX oob_codes_account ON oob_codes (local_id, project_id, tenant_id) WHERE local_id IS NOT NULL;

-- Until now such codes were also made for addresses that were never proven, and it cannot be told which these were.
DELETE FROM oob_codes WHERE request_type = 'RECOVER_EMAIL';
