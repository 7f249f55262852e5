-- The networks that are usual for an account are remembered for months; every other count ends within a week. The names end in a colon
-- and the eight hexadecimal digits of an IPv4 address, or the sixteen of an IPv6 network, among which is no colon. Ids of accounts may hold
-- colons, and may be as short as a digit.
UPDATE throttles SET local_id = substr(bucket, 7, length(bucket) - 15)
WHERE bucket LIKE 'usual:%' AND length(bucket) > 15 AND substr(bucket, length(bucket) - 8, 1) = ':';

UPDATE throttles SET local_id = substr(bucket, 7, length(bucket) - 23)
WHERE bucket LIKE 'usual:%' AND length(bucket) > 23 AND substr(bucket, length(bucket) - 16, 1) = ':'
    AND substr(bucket, length(bucket) - 8, 1) <> ':';

UPDATE throttles SET local_id = substr(bucket, 23, length(bucket) - 31)
WHERE bucket LIKE 'usualForSecondFactors:%' AND length(bucket) > 31 AND substr(bucket, length(bucket) - 8, 1) = ':';

UPDATE throttles SET local_id = substr(bucket, 23, length(bucket) - 39)
WHERE bucket LIKE 'usualForSecondFactors:%' AND length(bucket) > 39 AND substr(bucket, length(bucket) - 16, 1) = ':'
    AND substr(bucket, length(bucket) - 8, 1) <> ':';

-- Every password that was counted before has been checked by now, or soon will have been.
UPDATE throttles SET settled = count WHERE bucket LIKE 'passwords:of:%';
