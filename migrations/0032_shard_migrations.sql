-- shared
-- The last migration of each shard. A shard may have one that `public` lacks, while it is applied to one after the other.
create table shard_migration (
  shard  smallint primary key,
  number integer not null
);
