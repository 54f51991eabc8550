-- shared
-- What an account has chosen for its readiness reports; null: nothing. Its form: src/readiness/settings.ts.
alter table account add column readiness jsonb;
