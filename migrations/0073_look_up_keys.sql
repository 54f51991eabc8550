-- shared
-- Functions as in 0028_write_functions.sql and 0062_approved_prefixes.sql, but keys and names are looked up by lists. While
-- statistics were old, the plans of joins read all keys of all accounts for each create with an Idempotency-Key, and all
-- approved names for each GTIN.

create or replace function public.carnet_store_responses(models jsonb) returns jsonb language plpgsql as $$
declare
  accounts integer[];
  keys text[];
  stored jsonb;
  rejected jsonb;
begin
  perform set_config('lock_timeout', '200ms', true);
  insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
  select i.at, i.account_id, decode(i.idempotency->>'fingerprint', 'hex'), i.idempotency->>'key',
    (i.idempotency->>'status')::smallint, i.idempotency->'headers', i.idempotency->>'body'
  from jsonb_to_recordset(models) as i(account_id integer, at timestamptz, idempotency jsonb)
  where i.idempotency is not null order by i.account_id, i.idempotency->>'key'
  on conflict (account_id, key) do update set created_at = excluded.created_at, fingerprint = excluded.fingerprint,
    status = excluded.status, headers = excluded.headers, body = excluded.body
    where idempotency_key.created_at at time zone 'UTC' <= excluded.created_at at time zone 'UTC' - interval '24 hours';
  perform set_config('lock_timeout', '0', true);
  select array_agg(distinct i.account_id), array_agg(distinct i.idempotency->>'key') into accounts, keys
  from jsonb_to_recordset(models) as i(account_id integer, idempotency jsonb) where i.idempotency is not null;
  select jsonb_object_agg(k.account_id || ' ' || k.key, k.body) into stored
  from idempotency_key k where k.account_id = any(accounts) and k.key = any(keys);
  -- A stored body that equals ours was stored by us: it contains the id of the new product.
  select jsonb_agg(jsonb_build_array(i.id, 'key_taken')) into rejected
  from jsonb_to_recordset(models) as i(id uuid, account_id integer, idempotency jsonb)
  where i.idempotency is not null
    and stored->>(i.account_id || ' ' || (i.idempotency->>'key')) is distinct from i.idempotency->>'body';
  return coalesce(rejected, '[]');
end $$;

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
  );
end $$;
