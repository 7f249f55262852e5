-- SHA-256 of what proved that an app asked for the code: the same request, repeated, gets its session again without another proof.
ALTER TABLE sms_codes ADD COLUMN proof_hash BYTEA;
