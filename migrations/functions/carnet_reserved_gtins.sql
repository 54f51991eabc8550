-- Returns those of the GTINs whose company prefix is approved for another account than the one at the same place. Prefixes of
-- two accounts never overlap. A GTIN-14 begins with an indicator digit. The prefix of a number that several companies use
-- belongs to nobody. Names are looked up by a list: with old statistics, a join read all approved names for each GTIN.
create or replace function public.carnet_reserved_gtins(accounts integer[], gtins text[]) returns text[] language plpgsql stable as $$
declare
  prefixes text[] := array(
    select distinct 'gs1:' || substr(gtin, 2, length) from unnest(gtins) gtin cross join generate_series(4, 12) as length
    where gtin is not null);
  holders jsonb;
begin
  select jsonb_object_agg(n.name, n.account_id) into holders from approved_name n where n.name = any(prefixes);
  if holders is null then return '{}'; end if;
  return array(
    select i.gtin from unnest(accounts, gtins) as i(account, gtin) cross join generate_series(4, 12) as length
    where (holders->>('gs1:' || substr(i.gtin, 2, length)))::integer <> i.account
      and public.carnet_claim_key(i.gtin, i.account) = i.gtin
  );
end $$;
