-- Claims SKUs, and returns [id, reason] of the models whose SKU is taken. Two requests may find a SKU free. A claim replaces
-- only the one that was seen, so the second request is rejected.
create or replace function public.carnet_claim_skus(sku_claims jsonb) returns jsonb language plpgsql as $$
declare
  rejected jsonb;
begin
  insert into sku_claim (account_id, sku, model_id)
  select i.account_id, i.sku, i.id from jsonb_to_recordset(sku_claims) as i(id uuid, account_id integer, sku text)
  order by i.account_id, i.sku on conflict do nothing;
  if jsonb_path_exists(sku_claims, '$[*] ? (@.claimed_by != null)') then
    perform 1 from sku_claim s
    join jsonb_to_recordset(sku_claims) as i(account_id integer, sku text, claimed_by uuid)
      on i.account_id = s.account_id and i.sku = s.sku
    where s.model_id = i.claimed_by order by s.account_id, s.sku for no key update of s;
    update sku_claim s set model_id = i.id
    from jsonb_to_recordset(sku_claims) as i(id uuid, account_id integer, sku text, claimed_by uuid)
    where s.account_id = i.account_id and s.sku = i.sku and s.model_id = i.claimed_by;
  end if;
  select jsonb_agg(jsonb_build_array(i.id, 'sku_taken')) into rejected
  from jsonb_to_recordset(sku_claims) as i(id uuid, account_id integer, sku text)
  left join sku_claim s on s.account_id = i.account_id and s.sku = i.sku
  where s.model_id is distinct from i.id;
  return coalesce(rejected, '[]');
end $$;
