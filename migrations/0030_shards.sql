-- The shard of an account: the schema that holds its tables. Null: `public`, the only one on a plain PostgreSQL.
alter table account add column shard smallint check (shard between 1 and 4095);
