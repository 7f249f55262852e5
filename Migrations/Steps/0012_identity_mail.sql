-- Which account a provider knows under an address, where no account has the address itself.
CREATE INDEX identities_email ON identities (project_id, tenant_id, email) WHERE email IS NOT NULL;

-- 1 where the provider no longer passes mail on: Apple's private relay, switched off by its user.
ALTER TABLE identities ADD COLUMN mail_disabled BIGINT NOT NULL DEFAULT 0;
