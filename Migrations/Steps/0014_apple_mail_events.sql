-- When the provider's user switched it, in milliseconds: notifications come late and in any order.
ALTER TABLE identities ADD COLUMN mail_changed_at BIGINT;
