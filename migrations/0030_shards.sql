-- The shard of an account: the schema that holds its tables. Null: `public`, the only one on a plain PostgreSQL.
alter table account add column shard smallint check (shard between 1 and 4095);

-- An account with models on several shards: all of them, `shard` first, and those that get new models.
alter table account
  add column shards smallint[],
  add column model_shards smallint[],
  add check ((shards is null) = (model_shards is null)
    and (shards is null or shards[1] = shard and model_shards <@ shards));
