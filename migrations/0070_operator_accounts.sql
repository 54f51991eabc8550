-- shared
-- Accounts of the operator's own people: their owners answer requests for verification in the console. Only the command
-- line sets this.
alter table account add column is_operator boolean not null default false;
