-- shared
-- GTINs with a GS1 company prefix that is approved for an account are claimed by this account alone
-- (docs/decisions/0066-approved-names.md).

-- Those of the GTINs whose company prefix is approved for another account than the one at the same place. Prefixes of two
-- accounts never overlap. A GTIN-14 begins with an indicator digit.
create function public.carnet_reserved_gtins(accounts integer[], gtins text[]) returns text[] language plpgsql stable as $$
begin
  return array(
    select i.gtin from unnest(accounts, gtins) as i(account, gtin) cross join generate_series(4, 12) as length
    join approved_name n on n.name = 'gs1:' || substr(i.gtin, 2, length) and n.account_id <> i.account
  );
end $$;

-- As in 0060_order_of_locks.sql, but without new claims of such GTINs. Earlier claims stay.
create or replace function public.carnet_claim_gtins(accounts integer[], models uuid[], gtins text[], moments timestamptz[])
returns uuid[] language plpgsql as $$
declare
  digits text[] := array(select distinct substr(i, 5, 4) from unnest(gtins) i where i is not null);
  claim_timeout text := coalesce(current_setting('carnet.claim_timeout', true), '');
  usual_timeout text;
  reserved text[] := public.carnet_reserved_gtins(accounts, gtins);
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
    select i.gtin, digits[1], i.account, i.model, i.moment
    from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment)
    where i.gtin is not null and i.gtin <> all(reserved) order by i.gtin
    on conflict do nothing;
  elsif cardinality(digits) > 1 and exists (select from unnest(gtins) i where i <> all(reserved)) then
    -- For 64 companies, Citus needs 10 ms for `insert … values` and 250 ms for `insert … select`.
    execute (select 'insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at) values '
        || string_agg(format('(%L, %L, %s, %L, %L)', i.gtin, substr(i.gtin, 5, 4), i.account, i.model, i.moment), ', ' order by i.gtin)
        || ' on conflict do nothing'
      from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment)
      where i.gtin is not null and i.gtin <> all(reserved));
  end if;
  if claim_timeout <> '' then perform set_config('lock_timeout', usual_timeout, true); end if;
  select jsonb_object_agg(g.gtin14, jsonb_build_array(g.account_id, g.model_id)) into holders
  from gtin_claim g where g.gtin14 = any(gtins) and g.prefix_digits = any(digits);
  -- Approvals may have come while this transaction waited for another one that claims a GTIN.
  late := array(select i from unnest(public.carnet_reserved_gtins(accounts, gtins)) i where i <> all(reserved));
  were_released := exists (select from released_gtin r where r.gtin14 = any(gtins));
  return array(select i.model from unnest(accounts, models, gtins) as i(account, model, gtin)
    where i.gtin is not null and ((holders -> i.gtin) is distinct from jsonb_build_array(i.account, i.model) or i.gtin = any(late)
      or were_released and not public.carnet_may_claim_gtin(i.gtin, i.account)));
end $$;
