-- shared
-- One order of locks for whole transactions (docs/decisions/0065-one-order-of-locks.md).

-- Locks the passports that a transaction of several statements changes, and their entries for the registry, each by id.
-- It may then hold GTINs when it claims others, so from now on it waits for each only a moment: a time-out of the lock ends
-- it, and it begins again.
create function public.carnet_lock_passports(account integer, ids uuid[]) returns void language plpgsql as $$
begin
  perform set_config('carnet.claim_timeout', '100ms', true);
  perform 1 from passport p where p.account_id = account and p.id = any(ids) order by p.id for no key update;
  perform 1 from registry_entry e where e.account_id = account and e.passport_id = any(ids) order by e.passport_id
  for no key update;
end $$;

-- As in 0028_write_functions.sql, but for `carnet.claim_timeout`: how long the transaction waits for another one that claims
-- one of the GTINs. Empty: to its end.
create or replace function public.carnet_claim_gtins(accounts integer[], models uuid[], gtins text[], moments timestamptz[])
returns uuid[] language plpgsql as $$
declare
  digits text[] := array(select distinct substr(i, 5, 4) from unnest(gtins) i where i is not null);
  claim_timeout text := coalesce(current_setting('carnet.claim_timeout', true), '');
  usual_timeout text;
  holders jsonb;
  were_released boolean;
begin
  if claim_timeout <> '' then
    usual_timeout := current_setting('lock_timeout');
    perform set_config('lock_timeout', claim_timeout, true);
  end if;
  if cardinality(digits) = 1 then
    insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
    select i.gtin, digits[1], i.account, i.model, i.moment
    from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment)
    where i.gtin is not null order by i.gtin
    on conflict do nothing;
  elsif cardinality(digits) > 1 then
    -- For 64 companies, Citus needs 10 ms for `insert … values` and 250 ms for `insert … select`.
    execute (select 'insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at) values '
        || string_agg(format('(%L, %L, %s, %L, %L)', i.gtin, substr(i.gtin, 5, 4), i.account, i.model, i.moment), ', ' order by i.gtin)
        || ' on conflict do nothing'
      from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment) where i.gtin is not null);
  end if;
  if claim_timeout <> '' then perform set_config('lock_timeout', usual_timeout, true); end if;
  select jsonb_object_agg(g.gtin14, jsonb_build_array(g.account_id, g.model_id)) into holders
  from gtin_claim g where g.gtin14 = any(gtins) and g.prefix_digits = any(digits);
  were_released := exists (select from released_gtin r where r.gtin14 = any(gtins));
  return array(select i.model from unnest(accounts, models, gtins) as i(account, model, gtin)
    where i.gtin is not null and ((holders -> i.gtin) is distinct from jsonb_build_array(i.account, i.model)
      or were_released and not public.carnet_may_claim_gtin(i.gtin, i.account)));
end $$;
