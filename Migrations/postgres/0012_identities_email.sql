-- Which account a provider knows under an address, where no account has the address itself.
CREATE INDEX identities_email ON identities (project_id, tenant_id, email) WHERE email IS NOT NULL;
