-- shared
-- While an account is moved: its other shard, which may have rows of it, too. That is the new shard until `shard` names it,
-- and the old one afterwards, until its rows are deleted.
alter table account
  add column move_shard smallint,
  add check (move_shard is null or (closed_at is not null and shards is null and move_shard <> shard));
create index account_move on account (id) where move_shard is not null;

-- `carnet accounts move` deletes what it has copied to another shard. Only the owner of the tables may, and only on the
-- shard that it names, so nothing is ever deleted from `public`.
create or replace function public.carnet_keep() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_schema = current_setting('carnet.moved_from', true) and tg_table_schema <> 'public'
    and current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then return null; end if;
  raise exception 'a row of % is never changed and never deleted', tg_table_name using errcode = 'CA002';
end $$;
