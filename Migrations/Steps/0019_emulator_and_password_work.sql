-- What answers show of the account though it is empty: 1 for `disabled: false`, 2 for an empty `providerUserInfo`.
ALTER TABLE accounts ADD COLUMN shown_empty BIGINT NOT NULL DEFAULT 0;

-- What checks of the passwords in the store cost: each wrong password costs all of it, so that time tells no account from another.
CREATE TABLE password_work (
    work TEXT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (work)
);
