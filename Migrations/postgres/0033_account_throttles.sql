-- The account that a count belongs to, so that a proof of who owns the account finds all of them, whatever their names are. Null belongs
-- to no account.
ALTER TABLE throttles ADD COLUMN local_id TEXT;

-- Of the counted tries, how many have failed for certain. The others are still being checked.
ALTER TABLE throttles ADD COLUMN settled BIGINT NOT NULL DEFAULT 0;

CREATE INDEX throttles_account ON throttles (local_id, project_id, tenant_id) WHERE local_id IS NOT NULL;

-- The networks that are usual for an account are remembered for months; every other count ends within a week. The names end in a colon
-- and the eight hexadecimal digits of an IPv4 address, or the sixteen of an IPv6 network.
UPDATE throttles SET local_id = substr(bucket, 7, length(bucket) - 15)
WHERE bucket LIKE 'usual:%' AND substr(bucket, length(bucket) - 8, 1) = ':';

UPDATE throttles SET local_id = substr(bucket, 7, length(bucket) - 23)
WHERE bucket LIKE 'usual:%' AND substr(bucket, length(bucket) - 16, 1) = ':';

UPDATE throttles SET local_id = substr(bucket, 23, length(bucket) - 31)
WHERE bucket LIKE 'usualForSecondFactors:%' AND substr(bucket, length(bucket) - 8, 1) = ':';

UPDATE throttles SET local_id = substr(bucket, 23, length(bucket) - 39)
WHERE bucket LIKE 'usualForSecondFactors:%' AND substr(bucket, length(bucket) - 16, 1) = ':';

-- Every password that was counted before has been checked by now, or soon will have been.
UPDATE throttles SET settled = count WHERE bucket LIKE 'passwords:of:%';
