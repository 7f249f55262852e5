-- The second factors of an account in the order of their enrolment: a JSON array, TOTP secrets sealed. Null means none.
ALTER TABLE accounts ADD COLUMN second_factors TEXT;

-- Which second factor a session was begun with: the kind ('phone', 'totp') and the enrolment's id.
ALTER TABLE sessions ADD COLUMN second_factor TEXT;

ALTER TABLE sessions ADD COLUMN second_factor_id TEXT;
