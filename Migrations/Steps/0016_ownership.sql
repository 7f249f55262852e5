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

-- Of addresses that were proven before this migration the time is unknown. It becomes the latest that the account's own rows show, so that
-- the ways in that were there already are not taken for later ones. Signing in and linking by a session set last_login_at and are covered;
-- administrators, imports and passkeys may have added something after it, so these rows are looked at, too.
UPDATE accounts SET email_proven_at = CASE
    WHEN COALESCE(last_login_at, 0) >= COALESCE(last_refresh_at, 0) AND COALESCE(last_login_at, 0) >= created_at THEN last_login_at
    WHEN COALESCE(last_refresh_at, 0) >= created_at THEN last_refresh_at
    ELSE created_at END
WHERE email_verified = 1 AND email IS NOT NULL;

UPDATE accounts SET email_proven_at = (
    SELECT MAX(linked_at) FROM identities WHERE identities.project_id = accounts.project_id
        AND identities.tenant_id = accounts.tenant_id AND identities.local_id = accounts.local_id)
WHERE email_proven_at < (
    SELECT MAX(linked_at) FROM identities WHERE identities.project_id = accounts.project_id
        AND identities.tenant_id = accounts.tenant_id AND identities.local_id = accounts.local_id);

UPDATE accounts SET email_proven_at = (
    SELECT MAX(passkeys.created_at) FROM passkeys WHERE passkeys.project_id = accounts.project_id
        AND passkeys.tenant_id = accounts.tenant_id AND passkeys.local_id = accounts.local_id)
WHERE email_proven_at < (
    SELECT MAX(passkeys.created_at) FROM passkeys WHERE passkeys.project_id = accounts.project_id
        AND passkeys.tenant_id = accounts.tenant_id AND passkeys.local_id = accounts.local_id);

UPDATE accounts SET phone_added_at = created_at WHERE phone_number IS NOT NULL;
