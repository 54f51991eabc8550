-- shared
-- formerly 812c14a7906120617d5a01d7ab87333382d69ebcd5946da20139003ae921a90b
-- While an account is moved: its other shard, which may have rows of it, too. That is the new shard until `shard` names it,
-- and the old one afterwards, until its rows are deleted.
alter table account
  add column move_shard smallint,
  add check (move_shard is null or (closed_at is not null and shards is null and move_shard <> shard));
create index account_move on account (id) where move_shard is not null;
