-- An ID token names its session, which is looked at wherever the token is presented.
CREATE INDEX sessions_id ON sessions (session_id);
