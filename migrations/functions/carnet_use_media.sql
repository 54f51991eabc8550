-- Stores which passports refer to which files, in the statement that writes the passports. `written`: the passports that
-- were written; null: all. Rejects references to files that the account lacks or that are not ready. Until the transaction
-- ends, nobody deletes the files.
create or replace function public.carnet_use_media(uses jsonb, written uuid[])
returns void language plpgsql as $$
declare
  one record;
  wanted jsonb;
  found_files jsonb;
begin
  for one in
    select i.account_id, array_agg(distinct decode(i.media, 'hex')) as ids
    from jsonb_to_recordset(uses) as i(account_id integer, passport uuid, media text)
    where written is null or i.passport = any(written)
    group by i.account_id order by i.account_id
  loop
    select coalesce(jsonb_agg(jsonb_build_array(encode(m.id, 'hex'), m.kind)), '[]') into found_files
    from (
      select m.id, m.kind from media m
      where m.account_id = one.account_id and m.id = any(one.ids) and m.status = 'r' /* ready */
      order by m.id for share
    ) m;
    select jsonb_agg(distinct jsonb_build_array(i.media, i.kind)) into wanted
    from jsonb_to_recordset(uses) as i(account_id integer, passport uuid, media text, kind text)
    where i.account_id = one.account_id and (written is null or i.passport = any(written));
    if not found_files @> wanted then
      raise exception using errcode = 'CA003', message = 'a reference to a file that is not there';
    end if;
    insert into media_use (account_id, media_id, passport_id, version_no, audience)
    select distinct on (i.media, i.passport, i.audience)
      one.account_id, decode(i.media, 'hex'), i.passport, i.version_no, i.audience
    from jsonb_to_recordset(uses) as i(account_id integer, passport uuid, version_no integer, media text, audience "char")
    where i.account_id = one.account_id and (written is null or i.passport = any(written))
    order by i.media, i.passport, i.audience, i.version_no
    on conflict do nothing;
  end loop;
end $$;
