-- Claims GTINs, sorted to avoid deadlocks, and returns the models that may not have theirs: another model has claimed it, it
-- was released to another account, or its company prefix is approved for another account. Earlier claims stay.
-- With claims on several nodes the number of inserted rows can be wrong, so the holders are read afterwards. So are the releases,
-- because the insert may have waited for one. `carnet.claim_timeout`: how long the transaction waits for another one that claims
-- one of the GTINs; empty: to its end.
create or replace function public.carnet_claim_gtins(accounts integer[], models uuid[], gtins text[], moments timestamptz[])
returns uuid[] language plpgsql as $$
declare
  keys text[] := array(
    select public.carnet_claim_key(i.gtin, i.account) from unnest(accounts, gtins) with ordinality as i(account, gtin, n) order by n);
  digits text[] := array(select distinct substr(i, 5, 4) from unnest(keys) i where i is not null);
  claim_timeout text := coalesce(current_setting('carnet.claim_timeout', true), '');
  usual_timeout text;
  reserved text[] := public.carnet_reserved_gtins(accounts, keys);
  late text[];
  holders jsonb;
  were_released boolean;
begin
  if claim_timeout <> '' then
    usual_timeout := current_setting('lock_timeout');
    perform set_config('lock_timeout', claim_timeout, true);
  end if;
  if cardinality(digits) = 1 then
    insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
    select i.key, digits[1], i.account, i.model, i.moment
    from unnest(accounts, models, keys, moments) as i(account, model, key, moment)
    where i.key is not null and i.key <> all(reserved) order by i.key
    on conflict do nothing;
  elsif cardinality(digits) > 1 and exists (select from unnest(keys) i where i <> all(reserved)) then
    -- For 64 companies, Citus needs 10 ms for `insert … values` and 250 ms for `insert … select`.
    execute (select 'insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at) values '
        || string_agg(format('(%L, %L, %s, %L, %L)', i.key, substr(i.key, 5, 4), i.account, i.model, i.moment), ', ' order by i.key)
        || ' on conflict do nothing'
      from unnest(accounts, models, keys, moments) as i(account, model, key, moment)
      where i.key is not null and i.key <> all(reserved));
  end if;
  if claim_timeout <> '' then perform set_config('lock_timeout', usual_timeout, true); end if;
  select jsonb_object_agg(g.gtin14, jsonb_build_array(g.account_id, g.model_id)) into holders
  from gtin_claim g where g.gtin14 = any(keys) and g.prefix_digits = any(digits);
  -- Approvals may have come while this transaction waited for another one that claims a GTIN.
  late := array(select i from unnest(public.carnet_reserved_gtins(accounts, keys)) i where i <> all(reserved));
  were_released := exists (select from released_gtin r where r.gtin14 = any(keys));
  return array(select i.model from unnest(accounts, models, keys) as i(account, model, key)
    where i.key is not null and ((holders -> i.key) is distinct from jsonb_build_array(i.account, i.model) or i.key = any(late)
      or were_released and not public.carnet_may_claim_gtin(i.key, i.account)));
end $$;
