-- Refuses to change or delete a row. Only `carnet accounts move` deletes what it has copied to another shard: as the owner of
-- the tables, and on the shard that it names, so nothing is ever deleted from `public`.
create or replace function public.carnet_keep() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_schema = current_setting('carnet.moved_from', true) and tg_table_schema <> 'public'
    and current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then return null; end if;
  raise exception 'a row of % is never changed and never deleted', tg_table_name using errcode = 'CA002';
end $$;
